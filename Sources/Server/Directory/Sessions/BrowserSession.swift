import Foundation
import Ground
import Storage

/// A browser in which a person is signed in. Its cookie is a secret; the database has the hash.
package struct BrowserSession: Sendable {
    package let tokenHash: SecretHash
    package let person: Person
    package let authenticatedAt: Date
    package let expiresAt: Date
    /// When the session ends unless it is used before: see ``SessionUses``.
    package let idleUntil: Date
    /// Minutes without use after which the person's organization wants it to end; nil for the server's rule.
    package let idleMinutes: Int?
    /// The person signed in with a temporary password and must choose another one before anything else.
    package let mustChangePassword: Bool
    /// The device whose key began the session; nil if a password did.
    package let deviceID: RegisteredDeviceID?
    /// How the person proved who they are when the session began.
    package let methods: SignInMethods
    /// When, and by what, the person has last proved who they are in this session; nil if only a device has, or a ticket
    /// of Kerberos.
    package let confirmedAt: Date?
    package let confirmedBy: SignInMethods
    /// The person's version when the session began. It is still the same, or the session would have ended.
    package let version: SignInVersion
    /// The first ``tokenHash``. It stays the same when the person signs in again in this session, so apps know the
    /// session by it.
    package let firstHash: SecretHash

    /// Whether the session began without anybody at the keyboard: by the key of a device, or by a ticket of Kerberos
    /// beside which nothing was shown.
    package var beganUnattended: Bool { methods.isUnattended }

    /// How long a session lasts, in seconds. A console that decides about thousands of children must not stay open for
    /// weeks.
    package static let lifetime: TimeInterval = 12 * 3_600
    /// Seconds without use after which a session ends, unless the operator has set another time: somebody else may sit
    /// down at a browser that was left open.
    package static let idle: TimeInterval = 2 * 3_600

    /// - Parameter minutes: what an organization wants; nil if it has no wish.
    static func idle(within minutes: Int?, atMost idle: TimeInterval = idle) -> TimeInterval {
        min(idle, minutes.map { Double($0) * 60 } ?? idle)
    }
}

extension BrowserSession {
    /// Begins a new session. The token that the browser had is never reused, so that nobody can plant a cookie and wait
    /// for somebody to sign in with it.
    /// - Parameters:
    ///   - replaced: the token that the browser had; that session ends.
    ///   - device: the device whose key begins the session; nil if the person does.
    ///   - methods: how the person has proved who they are, if no device has.
    package static func insert(
        for person: PersonID, by methods: SignInMethods = .password, userAgent: String?,
        replacing replaced: String? = nil, device: RegisteredDeviceID? = nil, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Secret {
        let token = Secret(from: surroundings)
        let rules = try HouseRules.find(of: person, in: transaction)
        let methods = device == nil ? methods : .deviceKey
        let confirmedBy = methods.subtracting([.deviceKey, .kerberos])
        let replacedHash = replaced.map(SecretHash.init(of:))
        let firstHash = try transaction.first(
            "SELECT first_hash FROM browser_session WHERE token_hash = $1 AND person_id = $2 AND expires_at > $3",
            [replacedHash, person, now]
        ) { try $0[0] as SecretHash }
        try deleteExpired(at: now, in: transaction)
        try transaction.execute("DELETE FROM browser_session WHERE token_hash = $1", [replacedHash])
        try transaction.execute(
            """
            INSERT INTO browser_session
                (token_hash, person_id, authenticated_at, expires_at, user_agent, device_id, idle_until, first_hash,
                 methods, confirmed_at, confirmed_by, idle_minutes, sign_in_version)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \(SignInVersion.sql(of: "$2")))
            """,
            [
                token.hash, person, now,
                now.addingTimeInterval(rules.sessionHours.map { Double($0) * 3_600 } ?? lifetime),
                userAgent.map { String($0.prefix(256)) }, device,
                now.addingTimeInterval(idle(within: rules.idleMinutes)), firstHash ?? token.hash,
                methods, confirmedBy.isEmpty ? nil : now, confirmedBy, rules.idleMinutes,
            ])
        return token
    }

    /// An expired session ends nothing at apps. A trigger records each deleted session, so the records of these are
    /// deleted again.
    private static func deleteExpired(at now: Date, in transaction: WriteTransaction) throws {
        let expired = try transaction.all(
            "DELETE FROM browser_session WHERE expires_at <= $1 RETURNING first_hash", [now]
        ) { try $0[0] as SecretHash }
        for session in expired {
            try transaction.execute("DELETE FROM ended_session WHERE session_hash = $1", [session])
        }
    }

    /// The session of a cookie, if it has not ended and the person ``Person/State/staysSignedIn``.
    package static func find(
        token: String, at now: Date, in transaction: some Transaction
    ) throws -> BrowserSession? {
        try find(SecretHash(of: token), at: now, in: transaction)
    }

    static func find(
        _ hash: SecretHash, at now: Date, in transaction: some Transaction
    ) throws -> BrowserSession? {
        let found = try transaction.first(
            """
            SELECT \(Person.columns), session.authenticated_at, session.expires_at,
                   credential.temporary_until IS NOT NULL AS must_change_password, session.device_id,
                   session.sign_in_version AS session_version, session.idle_until, session.first_hash,
                   session.methods, session.confirmed_at, session.confirmed_by, session.idle_minutes
            FROM browser_session AS session
            JOIN person ON person.id = session.person_id
            LEFT JOIN credential ON credential.person_id = person.id
            WHERE session.token_hash = $1 AND session.expires_at > $2 AND session.idle_until > $2
              AND session.sign_in_version = person.sign_in_version
            """,
            [hash, now]
        ) { row in
            BrowserSession(
                tokenHash: hash, person: try Person(row), authenticatedAt: try row["authenticated_at"],
                expiresAt: try row["expires_at"], idleUntil: try row["idle_until"],
                idleMinutes: try row["idle_minutes"], mustChangePassword: try row["must_change_password"],
                deviceID: try row["device_id"],
                methods: try row["methods"], confirmedAt: try row["confirmed_at"],
                confirmedBy: try row["confirmed_by"], version: try row["session_version"],
                firstHash: try row["first_hash"])
        }
        return found.flatMap { $0.person.state.staysSignedIn ? $0 : nil }
    }

    /// The same session as this transaction sees it; nil if it has ended.
    package static func reload(
        _ session: BrowserSession, at now: Date, in transaction: some Transaction
    ) throws -> BrowserSession? {
        try find(session.tokenHash, at: now, in: transaction)
    }

    /// Whether a session has not ended, whatever its present token is.
    package static func isLiving(firstHash: SecretHash, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM browser_session WHERE first_hash = $1", [firstHash])
    }

    /// Signs the person out of the session of a cookie, if it has one. A session that has expired unused is ended too,
    /// because the apps in which people signed in with it have not been told yet.
    package static func signOut(
        token: String, at now: Date, from origin: Origin, in transaction: WriteTransaction
    ) throws {
        guard let person = try end(token: token, at: now, in: transaction) else { return }
        try AuditEntry(.signOut, by: .person(person), on: "person:\(person.rawValue)", outcome: .done, from: origin)
            .append(to: try Person.find(person, in: transaction)?.organizationID, at: now, in: transaction)
    }

    /// Ends the session of a cookie, also if it was idle for too long. A session past its lifetime has ended already.
    /// - Returns: the person whose session it was; nil if there was none.
    package static func end(
        token: String, at now: Date, in transaction: WriteTransaction
    ) throws -> PersonID? {
        try transaction.first(
            "DELETE FROM browser_session WHERE token_hash = $1 AND expires_at > $2 RETURNING person_id",
            [SecretHash(of: token), now]
        ) { try $0[0] }
    }
}
