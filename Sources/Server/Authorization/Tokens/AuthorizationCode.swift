import Directory
import Foundation
import Ground
import Storage

/// A code that the browser carries to the app, which redeems it once for tokens. RFC 6749 §4.1.2.
struct AuthorizationCode: Sendable {
    let hash: SecretHash
    let profile: Profile
    /// The parked request that the code answers.
    let requestHash: SecretHash
    let basis: GrantBasis
    let clientID: String
    let personID: PersonID
    let scopes: ScopeSet
    let redirectURI: String
    let nonce: String?
    let codeChallenge: String?
    let authenticatedAt: Date
    let version: SignInVersion
    let deviceID: RegisteredDeviceID?
    /// How the person has signed in.
    let methods: SignInMethods
    /// ``BrowserSession/firstHash``; nil in profiles whose apps are not told about sessions.
    let sessionHash: SecretHash?
    let claims: RequestedClaims
    let expiresAt: Date
    let redeemedAt: Date?
    let grantID: GrantID?

    static let lifetime: TimeInterval = 300
    /// For how many seconds a spent or expired code is kept, so that its reuse is noticed.
    static let memory: TimeInterval = 86_400
}

extension AuthorizationCode {
    /// Makes a new code for a request; an unspent earlier code for the same request becomes void.
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
                 redirect_uri, nonce, code_challenge, authenticated_at, expires_at, device_id,
                 sign_in_version, session_hash, claims, methods)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
            """,
            [
                code.hash, parked.request.profile, parked.tokenHash, basis.consentID, basis.signInConsentID,
                parked.request.clientID, session.person.id, parked.request.scopes, parked.request.redirectURI,
                parked.request.nonce, parked.request.codeChallenge, session.authenticatedAt,
                now.addingTimeInterval(lifetime), session.deviceID, session.version,
                parked.request.profile.manners.followsSessions ? session.firstHash : nil, parked.request.claims,
                parked.request.methodsTold(of: session),
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
            SELECT profile, request_hash, consent_id, sign_in_consent_id, client_id, person_id, scopes, redirect_uri, nonce,
                   code_challenge, authenticated_at, expires_at, redeemed_at, grant_id,
                   device_id, sign_in_version, session_hash, claims, methods
            FROM authorization_code
            WHERE code_hash = $1
            """,
            [hash]
        ) { row in
            AuthorizationCode(
                hash: hash, profile: try row["profile"], requestHash: try row["request_hash"],
                basis: try GrantBasis(consentID: row["consent_id"], signInConsentID: row["sign_in_consent_id"]),
                clientID: try row["client_id"], personID: try row["person_id"], scopes: try row["scopes"],
                redirectURI: try row["redirect_uri"], nonce: try row["nonce"], codeChallenge: try row["code_challenge"],
                authenticatedAt: try row["authenticated_at"], version: try row["sign_in_version"],
                deviceID: try row["device_id"], methods: try row["methods"], sessionHash: try row["session_hash"],
                claims: try row["claims"],
                expiresAt: try row["expires_at"], redeemedAt: try row["redeemed_at"], grantID: try row["grant_id"])
        }
    }

    /// Spends the code for a grant. The condition is part of the statement, so that of two simultaneous attempts one
    /// succeeds.
    func redeem(for grant: GrantID, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE authorization_code SET redeemed_at = $2, grant_id = $3
            WHERE code_hash = $1 AND redeemed_at IS NULL AND expires_at > $2
            """,
            [hash, now, grant]) > 0
    }
}
