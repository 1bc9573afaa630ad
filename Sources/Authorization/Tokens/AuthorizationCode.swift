import Directory
import Foundation
import Storage

/// A code that the browser carries to the app, which redeems it once for tokens. RFC 6749 §4.1.2.
struct AuthorizationCode: Sendable {
    let hash: SecretHash
    let consentID: ConsentID
    let clientID: String
    let personID: PersonID
    let scopes: ScopeSet
    let redirectURI: String
    let nonce: String?
    let codeChallenge: String?
    let authenticatedAt: Date
    let expiresAt: Date
    let redeemedAt: Date?
    let grantID: GrantID?

    static let lifetime: TimeInterval = 300
    /// How long a spent or expired code is remembered, so that using it again is noticed.
    static let memory: TimeInterval = 86_400
}

extension AuthorizationCode {
    /// A new code for a request; an unspent one that the same request got before is void.
    static func insert(
        for parked: ParkedRequest, consent: Consent, session: BrowserSession, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Secret {
        let code = Secret(from: surroundings)
        try transaction.execute(
            "DELETE FROM authorization_code WHERE expires_at <= $1", [now.addingTimeInterval(-memory)])
        try transaction.execute(
            "DELETE FROM authorization_code WHERE request_hash = $1 AND redeemed_at IS NULL", [parked.tokenHash])
        try transaction.execute(
            """
            INSERT INTO authorization_code (code_hash, request_hash, consent_id, client_id, person_id, scopes,
                                            redirect_uri, nonce, code_challenge, authenticated_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            """,
            [
                code.hash, parked.tokenHash, consent.id, parked.request.clientID, session.person.id,
                parked.request.scopes, parked.request.redirectURI, parked.request.nonce, parked.request.codeChallenge,
                session.authenticatedAt, now.addingTimeInterval(lifetime),
            ])
        return code
    }

    static func wasRedeemed(for parked: ParkedRequest, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM authorization_code WHERE request_hash = $1 AND redeemed_at IS NOT NULL", [parked.tokenHash])
    }

    static func find(_ code: String, in transaction: some Transaction) throws -> AuthorizationCode? {
        let hash = SecretHash(of: code)
        return try transaction.first(
            """
            SELECT consent_id, client_id, person_id, scopes, redirect_uri, nonce, code_challenge, authenticated_at,
                   expires_at, redeemed_at, grant_id
            FROM authorization_code
            WHERE code_hash = $1
            """,
            [hash]
        ) { row in
            AuthorizationCode(
                hash: hash, consentID: try row[0], clientID: try row[1], personID: try row[2], scopes: try row[3],
                redirectURI: try row[4], nonce: try row[5], codeChallenge: try row[6], authenticatedAt: try row[7],
                expiresAt: try row[8], redeemedAt: try row[9], grantID: try row[10])
        }
    }

    /// Spends the code. The condition is part of the statement: of two who try at once, one succeeds.
    func redeem(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE authorization_code SET redeemed_at = $2
            WHERE code_hash = $1 AND redeemed_at IS NULL AND expires_at > $2
            """,
            [hash, now]) > 0
    }

    func note(grant: GrantID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE authorization_code SET grant_id = $2 WHERE code_hash = $1", [hash, grant])
    }
}
