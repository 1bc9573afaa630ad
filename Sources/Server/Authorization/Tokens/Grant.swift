import Directory
import Foundation
import Ground
import Storage

/// What one code exchange gave a client under a consent. Its tokens refer to the grant, so that ending it ends them.
package struct Grant: Sendable {
    package let id: GrantID
    package let profile: Profile
    package let basis: GrantBasis
    package let clientID: String
    /// The person who consented; the subject of identity tokens.
    package let personID: PersonID
    package let scopes: ScopeSet
    package let authenticatedAt: Date
    /// The person's sign-in version when they signed in.
    package let version: SignInVersion
    /// The device whose key signed the person in; nil if they used a password. The device may have been removed since.
    package let deviceID: RegisteredDeviceID?
    /// How the person signed in.
    let methods: SignInMethods
    /// The browser session in which the grant was made, as clients know it; nil for grants of devices and in other
    /// profiles.
    let sessionHash: SecretHash?
    /// Single claims in addition to those of the scopes.
    let claims: RequestedClaims
    package let createdAt: Date
    package let revokedAt: Date?
    /// When the refresh token was last used, to the day; nil if there is none.
    let usedAt: Date?

    private static let columns = """
        id, profile, consent_id, sign_in_consent_id, client_id, person_id, scopes, authenticated_at, created_at,
        revoked_at, device_id, sign_in_version, used_at, session_hash, claims, methods
        """

    private init(_ row: Row) throws {
        id = try row["id"]
        profile = try row["profile"]
        basis = try GrantBasis(consentID: row["consent_id"], signInConsentID: row["sign_in_consent_id"])
        clientID = try row["client_id"]
        personID = try row["person_id"]
        scopes = try row["scopes"]
        authenticatedAt = try row["authenticated_at"]
        createdAt = try row["created_at"]
        revokedAt = try row["revoked_at"]
        deviceID = try row["device_id"]
        version = try row["sign_in_version"]
        usedAt = try row["used_at"]
        sessionHash = try row["session_hash"]
        claims = try row["claims"]
        methods = try row["methods"]
    }
}

package struct GrantID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension Grant {
    /// - Parameter refreshToken: nil if the grant has none.
    static func insert(
        _ profile: Profile, on basis: GrantBasis, clientID: String, person: PersonID, scopes: ScopeSet,
        refreshToken: RefreshToken?, authenticatedAt: Date, version: SignInVersion, device: RegisteredDeviceID?,
        methods: SignInMethods, session: SecretHash?, claims: RequestedClaims, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Grant {
        try transaction.first(
            """
            INSERT INTO access_grant
                (profile, consent_id, sign_in_consent_id, client_id, person_id, scopes, refresh_token_hash,
                 authenticated_at, created_at, device_id, sign_in_version, used_at, session_hash, claims, methods)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            RETURNING \(columns)
            """,
            [
                profile, basis.consentID, basis.signInConsentID, clientID, person, scopes, refreshToken?.hash,
                authenticatedAt, now, device, version, refreshToken.map { _ in now }, session, claims,
                methods,
            ],
            Grant.init
        )!  // an insert without conflict clause returns its row
    }

    static func find(_ id: GrantID, in transaction: some Transaction) throws -> Grant? {
        try transaction.first("SELECT \(columns) FROM access_grant WHERE id = $1", [id], Grant.init)
    }

    static func find(refreshToken: String, in transaction: some Transaction) throws -> Grant? {
        try transaction.first(
            "SELECT \(columns) FROM access_grant WHERE refresh_token_hash = $1", [SecretHash(of: refreshToken)],
            Grant.init)
    }

    func noteUse(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE access_grant SET used_at = $2 WHERE id = $1", [id, now])
    }

    /// For how many seconds grants are kept that can give no more tokens: those without a refresh token for a day, so
    /// that their codes are known as spent; those that were revoked or have expired for a month, so that the use of
    /// their tokens gets that answer, and not that the token is unknown. Spent refresh tokens are deleted with their
    /// grant.
    private static let memory: (single: TimeInterval, revoked: TimeInterval) = (86_400, 30 * 86_400)

    /// Bounds the time of the transaction; the rest is deleted a minute later.
    private static let deletedAtOnce = 1_000

    private static let isOver = """
        access_grant.revoked_at <= $1
        OR access_grant.refresh_token_hash IS NULL AND access_grant.created_at <= $2
        OR access_grant.sign_in_consent_id IS NOT NULL AND access_grant.used_at <= $3
        OR access_grant.sign_in_consent_id IS NOT NULL AND access_grant.created_at <= $4
        """

    private static func ends(at now: Date, _ lifetime: RefreshTokenLifetime) -> [any SQLConvertible] {
        let revoked = now.addingTimeInterval(-memory.revoked)
        return [
            revoked, now.addingTimeInterval(-memory.single), revoked.addingTimeInterval(-lifetime.idle),
            lifetime.absolute.map { revoked.addingTimeInterval(-$0) } ?? .distantPast,
        ]
    }

    package static func hasOld(
        _ lifetime: RefreshTokenLifetime = RefreshTokenLifetime(), at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists("SELECT 1 FROM access_grant WHERE \(isOver)", ends(at: now, lifetime))
    }

    /// Deletes old grants. The consents behind them stay.
    package static func deleteOld(
        _ lifetime: RefreshTokenLifetime = RefreshTokenLifetime(), at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM access_grant
            WHERE id IN (SELECT id FROM access_grant WHERE \(isOver) LIMIT \(deletedAtOnce))
            """, ends(at: now, lifetime))
    }

    /// - Returns: false if the grant was revoked before.
    static func revoke(_ id: GrantID, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "UPDATE access_grant SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", [id, now]) > 0
    }
}
