import Crypto
import Directory
import Foundation
import Storage
import Synchronization

/// Finds out which client calls the token or revocation endpoint.
package final class ClientAuthenticator: Sendable {
    /// An authenticated client.
    package struct Client: Sendable {
        package let clientID: String
        package let app: App
    }

    private let database: any Database
    private let audiences: Set<String>
    private let now: @Sendable () -> Date
    /// Secrets whose signature held, by hash: clients use one for hours. The claims are checked anew each time,
    /// and the key is read each time, so that a revoked key opens nothing.
    private let verified = Mutex<[SecretHash: Verified]>([:])

    private struct Verified {
        let secret: ClientSecret
        let publicKeyPEM: String
    }

    private static let verifiedMax = 4_096
    /// Measured from now by the server's clock, six months.
    static let lifetimeMax: TimeInterval = 15_777_000
    /// What clocks may differ by.
    static let tolerance: TimeInterval = 120

    /// - Parameter issuer: of this server. Besides it, `aud` may be `https://appleid.apple.com`, which
    ///   unmodified clients have compiled in.
    package init(database: any Database, issuer: String, now: @escaping @Sendable () -> Date) {
        self.database = database
        audiences = [issuer, "https://appleid.apple.com"]
        self.now = now
    }

    /// What came with a request, taken apart. Its signature holds; all else is asked in the transaction that serves the
    /// client, so that what ends a client acts at once.
    package struct Credentials: Sendable {
        package let clientID: String
        let secret: ClientSecret
        let hash: SecretHash
    }

    /// - Throws: ``OAuthError`` `invalid_client` or `invalid_request`
    package func credentials(clientID: String?, clientSecret: String?) async throws -> Credentials {
        guard let clientID, !clientID.isEmpty else { throw OAuthError(.invalidRequest, "client_id is missing") }
        guard let clientSecret, !clientSecret.isEmpty else {
            throw OAuthError(.invalidClient, "client_secret is missing")
        }
        let hash = SecretHash(of: clientSecret)
        if let known = verified.withLock({ $0[hash] }) {
            return Credentials(clientID: clientID, secret: known.secret, hash: hash)
        }
        let credentials = Credentials(clientID: clientID, secret: try ClientSecret(clientSecret), hash: hash)
        // Here, because the transaction that serves the client may keep others waiting.
        _ = try await database.read { try self.authenticate(credentials, in: $0) }
        return credentials
    }

    /// - Throws: ``OAuthError`` `invalid_client`
    package func authenticate(_ credentials: Credentials, in transaction: some Transaction) throws -> Client {
        let (clientID, secret) = (credentials.clientID, credentials.secret)
        guard let app = try App.find(clientID: clientID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction)
        else { throw OAuthError(.invalidClient, "there is no client with this client_id") }
        guard let key = try TeamKey.find(secret.keyID, in: transaction), key.teamID == team.id else {
            throw OAuthError(.invalidClient, "the team of the client has no key \(secret.keyID)")
        }
        guard key.revokedAt == nil else { throw OAuthError(.invalidClient, "the key \(key.keyID) is revoked") }
        try check(secret.claims, clientID: clientID, team: team)
        if verified.withLock({ $0[credentials.hash] })?.publicKeyPEM != key.publicKeyPEM {
            try checkSignature(of: secret, by: key)
            remember(Verified(secret: secret, publicKeyPEM: key.publicKeyPEM), as: credentials.hash)
        }
        return Client(clientID: clientID, app: app)
    }

    private func check(_ claims: ClientSecretClaims, clientID: String, team: Team) throws {
        let now = now().timeIntervalSince1970
        func refuse(_ reason: String) -> OAuthError { OAuthError(.invalidClient, "the client secret's \(reason)") }
        guard claims.sub == clientID else { throw refuse("sub is not the client_id") }
        guard claims.iss == team.publicID else { throw refuse("iss is not the team of the client") }
        guard audiences.contains(claims.aud.only) else { throw refuse("aud is not this server") }
        guard claims.exp > now - Self.tolerance else { throw refuse("exp is over") }
        guard claims.exp <= now + Self.lifetimeMax else { throw refuse("exp is more than six months ahead") }
        guard claims.iat <= now + Self.tolerance else { throw refuse("iat lies in the future") }
    }

    private func checkSignature(of secret: ClientSecret, by key: TeamKey) throws {
        guard secret.isSigned(by: try P256.Signing.PublicKey(pemRepresentation: key.publicKeyPEM)) else {
            throw OAuthError(.invalidClient, "the client secret is not signed by key \(key.keyID)")
        }
    }

    private func remember(_ one: Verified, as hash: SecretHash) {
        verified.withLock { verified in
            // Nothing lasts for ever in here; starting over now and then costs one signature a client.
            if verified.count >= Self.verifiedMax { verified.removeAll() }
            verified[hash] = one
        }
    }
}
