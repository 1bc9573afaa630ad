import Directory
import Foundation
import Ground
import Storage

/// A terminal, a television or another device without a browser that waits for a person to enter its code in one.
/// RFC 8628.
package struct DeviceAuthorization: Sendable {
    let deviceHash: SecretHash
    /// The code as the device shows it.
    package let userCode: String
    package let clientID: String
    package let scopes: ScopeSet
    package let nonce: String?
    /// Seconds that the device has to wait between two token requests.
    let pause: Int
    let askedAt: Date?
    let expiresAt: Date
    let answer: ParkedRequest.Answer?
    let consentID: SignInConsentID?
    let personID: PersonID?
    let authenticatedAt: Date?
    /// The registered device whose session approved the request; nil if the session began with a password.
    let approvedByDevice: RegisteredDeviceID?
    /// How the person who approved the request had signed in.
    let methods: SignInMethods
    /// The sign-in version of the person who approved the request.
    let version: SignInVersion?

    package static let lifetime: TimeInterval = 900
    package static let pause = 5
    /// How many seconds an expired request is kept, so that a device that still asks is told why it gets nothing.
    private static let memory: TimeInterval = 3_600

    private static let columns = """
        device_hash, user_code, client_id, scopes, nonce, pause, asked_at, expires_at, answer, sign_in_consent_id, person_id,
        authenticated_at, device_id, sign_in_version, methods
        """

    private init(_ row: Row) throws {
        deviceHash = try row["device_hash"]
        userCode = UserCode.spelled(try row["user_code"])
        clientID = try row["client_id"]
        scopes = try row["scopes"]
        nonce = try row["nonce"]
        pause = try row["pause"]
        askedAt = try row["asked_at"]
        expiresAt = try row["expires_at"]
        answer = try row["answer"]
        consentID = try row["sign_in_consent_id"]
        personID = try row["person_id"]
        authenticatedAt = try row["authenticated_at"]
        approvedByDevice = try row["device_id"]
        methods = try row["methods"]
        version = try row["sign_in_version"]
    }
}

extension DeviceAuthorization {
    package struct Codes: Sendable {
        /// For the device.
        package let deviceCode: Secret
        /// For the person, such as `WDJB-MJHT`.
        package let userCode: String
    }

    /// - Parameter address: the network address of the device.
    /// - Throws: ``OAuthError`` `invalid_scope`
    package static func insert(
        for client: ClientAuthenticator.Client, scope: String?, nonce: String?, address: AddressBlock?, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Codes {
        let scopes = try AuthorizationRequest.standardScopes(scope, of: client.app)
        if let nonce, nonce.utf8.count > AuthorizationRequest.nonceBytesMax {
            throw OAuthError.telling(
                .invalidRequest, "nonce is longer than \(AuthorizationRequest.nonceBytesMax) bytes")
        }
        try transaction.execute(
            "DELETE FROM device_authorization WHERE expires_at <= $1", [now.addingTimeInterval(-memory)])
        let deviceCode = Secret(from: surroundings)
        let userCode = UserCode.make(from: surroundings)
        try makeRoom(client: client.clientID, address: address, with: deviceCode, in: transaction)
        try transaction.execute(
            """
            INSERT INTO device_authorization
                (device_hash, user_code, client_id, scopes, nonce, pause, expires_at, address_hash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                deviceCode.hash, userCode, client.clientID, scopes, nonce, pause, now.addingTimeInterval(lifetime),
                address?.hash,
            ])
        return Codes(deviceCode: deviceCode, userCode: UserCode.spelled(userCode))
    }

    /// The device behind a parked request.
    package static func find(
        for request: AuthorizationRequest, in transaction: some Transaction
    ) throws -> DeviceAuthorization? {
        try request.deviceHash.flatMap { hash in
            try transaction.first(
                "SELECT \(columns) FROM device_authorization WHERE device_hash = $1", [hash], DeviceAuthorization.init)
        }
    }

    static func find(deviceCode: String, in transaction: some Transaction) throws -> DeviceAuthorization? {
        try transaction.first(
            "SELECT \(columns) FROM device_authorization WHERE device_hash = $1", [SecretHash(of: deviceCode)],
            DeviceAuthorization.init)
    }

    /// The waiting request with the code that a person typed; case, spaces and hyphens are ignored.
    package static func find(
        userCode: String, at now: Date, in transaction: some Transaction
    ) throws -> DeviceAuthorization? {
        guard let code = UserCode.parse(userCode) else { return nil }
        return try transaction.first(
            "SELECT \(columns) FROM device_authorization WHERE user_code = $1 AND expires_at > $2 AND answer IS NULL",
            [code, now], DeviceAuthorization.init)
    }

    static func isWaiting(_ device: SecretHash, at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM device_authorization WHERE device_hash = $1 AND expires_at > $2 AND answer IS NULL",
            [device, now])
    }

    /// The request that the person then decides on.
    package var request: AuthorizationRequest {
        AuthorizationRequest(
            profile: .standard, clientID: clientID, redirectURI: "", scopes: scopes, state: nil, nonce: nonce,
            responseMode: .query, codeChallenge: nil, deviceHash: deviceHash)
    }

    /// Records the approval.
    /// - Returns: false if the request was decided before, or has expired.
    static func allow(
        _ device: SecretHash, consent: SignInConsentID, session: BrowserSession, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Bool {
        try transaction.execute(
            """
            UPDATE device_authorization
            SET answer = 'allowed', sign_in_consent_id = $2, person_id = $3, authenticated_at = $4, device_id = $6,
                sign_in_version = $7, methods = $8
            WHERE device_hash = $1 AND answer IS NULL AND expires_at > $5
            """,
            [
                device, consent, session.person.id, session.authenticatedAt, now, session.deviceID, session.version,
                session.methods,
            ]) > 0
    }

    static func deny(_ device: SecretHash, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE device_authorization SET answer = 'denied' WHERE device_hash = $1 AND answer IS NULL", [device])
    }

    /// Records a token request of the device. A device that asks too often has to wait longer. RFC 8628 §3.5.
    /// - Returns: false if the request came too early.
    func noteQuestion(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        let isEarly = askedAt.map { now.timeIntervalSince($0) < Double(pause) } ?? false
        try transaction.execute(
            "UPDATE device_authorization SET asked_at = $2, pause = $3 WHERE device_hash = $1",
            [deviceHash, now, isEarly ? min(pause + 5, 60) : pause])
        return !isEarly
    }

    /// Spends the device code. Of two simultaneous requests only one gets tokens.
    func take(in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "DELETE FROM device_authorization WHERE device_hash = $1 AND answer = 'allowed'", [deviceHash]) > 0
    }
}
