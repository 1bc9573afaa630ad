import Directory
import Foundation
import Ground
import Storage

/// A validated authorization request that waits on the server while the person signs in and decides. It belongs to the
/// browser that sent it: the token in the address is of no use in another one.
package struct ParkedRequest: Sendable {
    package enum Answer: String, Sendable, SQLConvertible {
        case allowed
        case denied
    }

    let tokenHash: SecretHash
    package let request: AuthorizationRequest
    /// The session that began on the way to this request, if one did.
    let sessionHash: SecretHash?
    /// Nil until the person has decided.
    package let answer: Answer?

    package static let lifetime: TimeInterval = 3_600
}

extension ParkedRequest {
    /// - Parameters:
    ///   - browser: the secret in the cookie of the browser.
    ///   - address: of the client that sent the request.
    /// - Returns: the token for the address of the page.
    package static func insert(
        _ request: AuthorizationRequest, browser: String, address: AddressBlock? = nil, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Secret {
        let token = Secret(from: surroundings)
        try transaction.execute("DELETE FROM parked_request WHERE expires_at <= $1", [now])
        try makeRoom(browser: browser, address: address, with: token, in: transaction)
        try transaction.execute(
            """
            INSERT INTO parked_request
                (token_hash, profile, client_id, redirect_uri, scopes, state, nonce, response_mode,
                 returns_identity_token, code_challenge, prompts, authenticated_since, login_hint, person_id,
                 device_hash, browser_hash, expires_at, address_hash, claims, needs_password)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
            """,
            [
                token.hash, request.profile, request.clientID, request.redirectURI, request.scopes, request.state,
                request.nonce, request.responseMode, request.returnsIdentityToken, request.codeChallenge,
                request.prompts.map(\.rawValue).sorted().joined(separator: " "), request.authenticatedSince,
                request.loginHint, request.person, request.deviceHash, SecretHash(of: browser),
                now.addingTimeInterval(lifetime), address?.hash, request.claims, request.needsPassword,
            ])
        return token
    }

    /// The request, limited to what its app may still ask for. Nil if it is unknown or expired, or belongs to another
    /// browser.
    /// - Parameter issuer: the issuer of the standard profile, for its answers.
    /// - Throws: ``OAuthError`` if the app may not make the request any more.
    package static func find(
        token: String, browser: String, issuer: String? = nil, at now: Date, in transaction: some Transaction
    ) throws -> ParkedRequest? {
        let hash = SecretHash(of: token)
        let parked = try transaction.first(
            """
            SELECT profile, client_id, redirect_uri, scopes, state, nonce, response_mode, returns_identity_token,
                   code_challenge, prompts, authenticated_since, login_hint, device_hash, session_hash,
                   answer, person_id, claims, needs_password
            FROM parked_request
            WHERE token_hash = $1 AND browser_hash = $2 AND expires_at > $3
            """,
            [hash, SecretHash(of: browser), now]
        ) { row in
            let profile: Profile = try row["profile"]
            let prompts: String = try row["prompts"]
            return ParkedRequest(
                tokenHash: hash,
                request: AuthorizationRequest(
                    profile: profile, clientID: try row["client_id"], redirectURI: try row["redirect_uri"],
                    scopes: try row["scopes"], state: try row["state"], nonce: try row["nonce"],
                    responseMode: try row["response_mode"], returnsIdentityToken: try row["returns_identity_token"],
                    codeChallenge: try row["code_challenge"],
                    prompts: Set(
                        prompts.split(separator: " ").compactMap { AuthorizationRequest.Prompt(rawValue: String($0)) }),
                    authenticatedSince: try row["authenticated_since"], loginHint: try row["login_hint"],
                    person: try row["person_id"], claims: try row["claims"], needsPassword: try row["needs_password"],
                    deviceHash: try row["device_hash"], issuer: profile.manners.answersNameIssuer ? issuer : nil),
                sessionHash: try row["session_hash"], answer: try row["answer"])
        }
        return try parked?.asRegistered(in: transaction)
    }

    /// Records that the person has just signed in for this request, so that they are not asked again who they are.
    package static func note(
        _ session: Secret, for token: String, browser: String, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            "UPDATE parked_request SET session_hash = $3 WHERE token_hash = $1 AND browser_hash = $2",
            [SecretHash(of: token), SecretHash(of: browser), session.hash])
    }

    func record(_ answer: Answer, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE parked_request SET answer = $2 WHERE token_hash = $1", [tokenHash, answer])
    }
}

extension ParkedRequest {
    /// Records that the request was blocked.
    /// - Returns: false if that was recorded before.
    func noteBlocked(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "UPDATE parked_request SET blocked_at = $2 WHERE token_hash = $1 AND blocked_at IS NULL",
            [tokenHash, now]) > 0
    }

    /// The same request as stored in this transaction.
    /// - Throws: ``OAuthError`` if the app may not make the request any more.
    static func reload(_ parked: ParkedRequest, in transaction: some Transaction) throws -> ParkedRequest? {
        let current = try transaction.first(
            "SELECT answer FROM parked_request WHERE token_hash = $1", [parked.tokenHash]
        ) { row in
            ParkedRequest(
                tokenHash: parked.tokenHash, request: parked.request, sessionHash: parked.sessionHash,
                answer: try row["answer"])
        }
        return try current?.asRegistered(in: transaction)
    }

    private func asRegistered(in transaction: some Transaction) throws -> ParkedRequest {
        ParkedRequest(
            tokenHash: tokenHash, request: try request.asRegistered(in: transaction), sessionHash: sessionHash,
            answer: answer)
    }
}
