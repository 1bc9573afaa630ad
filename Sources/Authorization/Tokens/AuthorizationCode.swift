import Directory
import Foundation
import Storage

/// A code that the browser carries to the app, which redeems it once for tokens. RFC 6749 §4.1.2.
struct AuthorizationCode: Sendable {
    let hash: SecretHash
    let profile: Profile
    let basis: GrantBasis
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
        for parked: ParkedRequest, basis: GrantBasis, session: BrowserSession, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Secret {
        let code = Secret(from: surroundings)
        try transaction.execute(
            "DELETE FROM authorization_code WHERE expires_at <= $1", [now.addingTimeInterval(-memory)])
        try transaction.execute(
            "DELETE FROM authorization_code WHERE request_hash = $1 AND redeemed_at IS NULL", [parked.tokenHash])
        try transaction.execute(
            """
            INSERT INTO authorization_code
                (code_hash, profile, request_hash, consent_id, sign_in_consent_id, client_id, person_id, scopes,
                 redirect_uri, nonce, code_challenge, authenticated_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                code.hash, parked.request.profile, parked.tokenHash, basis.consentID, basis.signInConsentID,
                parked.request.clientID, session.person.id, parked.request.scopes, parked.request.redirectURI,
                parked.request.nonce, parked.request.codeChallenge, session.authenticatedAt,
                now.addingTimeInterval(lifetime),
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
            SELECT profile, consent_id, sign_in_consent_id, client_id, person_id, scopes, redirect_uri, nonce,
                   code_challenge, authenticated_at, expires_at, redeemed_at, grant_id
            FROM authorization_code
            WHERE code_hash = $1
            """,
            [hash]
        ) { row in
            AuthorizationCode(
                hash: hash, profile: try row[0], basis: try GrantBasis(consentID: row[1], signInConsentID: row[2]),
                clientID: try row[3], personID: try row[4], scopes: try row[5], redirectURI: try row[6],
                nonce: try row[7], codeChallenge: try row[8], authenticatedAt: try row[9], expiresAt: try row[10],
                redeemedAt: try row[11], grantID: try row[12])
        }
    }

    /// Spends the code for a grant. The condition is part of the statement: of two who try at once, one succeeds.
    func redeem(for grant: GrantID, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE authorization_code SET redeemed_at = $2, grant_id = $3
            WHERE code_hash = $1 AND redeemed_at IS NULL AND expires_at > $2
            """,
            [hash, now, grant]) > 0
    }
}
