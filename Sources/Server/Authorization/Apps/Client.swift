import Directory
import Foundation
import Ground
import Storage

/// A client id of an app, with its method of authentication in the standard profile. In the other two profiles, as with
/// the service that they are compatible with, the method is always a key of the app's team.
package struct Client: Sendable {
    package let clientID: String
    package let appID: AppID
    package let isPrimary: Bool
    /// SHA-256 of the client's fixed secret.
    let secretHash: SecretHash?
    /// Whether the client is a native program or a page, which cannot keep a secret: it proves with PKCE that a code is
    /// its own.
    package let isPublic: Bool
    /// The algorithm of the client's identity tokens in the standard profile (`id_token_signed_response_alg`, OpenID
    /// Connect Registration §2).
    package let signingAlgorithm: SigningAlgorithm

    package enum Authentication: String, Codable, CaseIterable, Sendable {
        /// A key of the client's team: `private_key_jwt`.
        case key
        /// A fixed secret, for programs that know no other way: `client_secret_basic` or `client_secret_post`, which
        /// carry the same secret, as RFC 6749 §2.3.1 has it.
        case secret
        /// The client has no secret, and proves with PKCE that a code is its own.
        case none
    }

    package var authentication: Authentication { isPublic ? .none : secretHash == nil ? .key : .secret }

    package var hasSecret: Bool { secretHash != nil }

    private static let columns = [
        "client_id", "app_id", "is_primary", "secret_hash", "is_public", "signing_algorithm",
    ].map { "client.\($0)" }.joined(separator: ", ")

    private init(_ row: Row) throws {
        clientID = try row["client_id"]
        appID = try row["app_id"]
        isPrimary = try row["is_primary"]
        secretHash = try row["secret_hash"]
        isPublic = try row["is_public"]
        signingAlgorithm = try row["signing_algorithm"]
    }

    package static func find(_ clientID: String, in transaction: some Transaction) throws -> Client? {
        try transaction.first(
            "SELECT \(columns) FROM client WHERE client_id = $1 AND removed_at IS NULL", [clientID], Client.init)
    }

    /// The client, with the app that it belongs to; nil if the app has been removed.
    static func findWithApp(
        _ clientID: String, in transaction: some Transaction
    ) throws -> (client: Client, app: App)? {
        try transaction.first(
            """
            SELECT \(App.columns), \(columns)
            FROM client
            JOIN app ON app.id = client.app_id
            WHERE client.client_id = $1 AND client.removed_at IS NULL AND app.removed_at IS NULL
            """,
            [clientID]
        ) { (try Client($0), try App($0)) }
    }

    /// The clients of an app, the primary one first.
    package static func list(of app: AppID, in transaction: some Transaction) throws -> [Client] {
        try transaction.all(
            """
            SELECT \(columns) FROM client WHERE app_id = $1 AND removed_at IS NULL
            ORDER BY is_primary DESC, client_id
            """, [app], Client.init)
    }

    /// Gives the client a new fixed secret, which replaces the previous one and is shown once.
    package func makeSecret(from surroundings: Surroundings, in transaction: WriteTransaction) throws -> Secret {
        var secret = Secret(from: surroundings)
        // Programs get the secret on command lines, where a leading hyphen would make it an option.
        while secret.text.hasPrefix("-") { secret = Secret(from: surroundings) }
        try transaction.execute(
            "UPDATE client SET secret_hash = $2, is_public = 0 WHERE client_id = $1", [clientID, secret.hash])
        return secret
    }

    /// Lets the client authenticate with a key of its team; its fixed secret becomes void.
    package func useKey(in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE client SET secret_hash = NULL, is_public = 0 WHERE client_id = $1", [clientID])
    }

    /// Makes the client a public one; its fixed secret becomes void.
    package func makePublic(in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE client SET secret_hash = NULL, is_public = 1 WHERE client_id = $1", [clientID])
    }

    /// Takes the client id from its app: from the next call on it is unknown, and its grants have ended. It stays
    /// reserved for the app. The primary one cannot be taken, because notifications are addressed to it.
    package func remove(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE client SET removed_at = $2, secret_hash = NULL WHERE client_id = $1 AND is_primary = 0",
            [clientID, now])
        try transaction.execute(
            "UPDATE access_grant SET revoked_at = $2 WHERE client_id = $1 AND revoked_at IS NULL", [clientID, now])
    }

    /// Chooses how the client's identity tokens are signed from now on.
    package func put(signingAlgorithm: SigningAlgorithm, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE client SET signing_algorithm = $2 WHERE client_id = $1", [clientID, signingAlgorithm])
    }

    /// Makes the fixed secrets of an app's clients void.
    /// - Returns: the ids of the clients that had one.
    static func dropSecrets(of app: AppID, in transaction: WriteTransaction) throws -> [String] {
        let clients = try list(of: app, in: transaction).filter(\.hasSecret).map(\.clientID)
        try transaction.execute("UPDATE client SET secret_hash = NULL WHERE app_id = $1", [app])
        return clients
    }
}
