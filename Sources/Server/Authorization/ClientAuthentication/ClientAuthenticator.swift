import Crypto
import Directory
import Foundation
import Ground
import Storage
import Synchronization

/// Finds out which client calls the token or revocation endpoint.
package final class ClientAuthenticator: Sendable {
    /// An authenticated client.
    package struct Client: Sendable {
        let registration: Authorization.Client
        package let app: App
        /// The app's team; while people are handed over, it may be the team that had the app before.
        package let teamID: TeamID

        package var clientID: String { registration.clientID }

        /// The algorithm of the client's identity tokens.
        func signingAlgorithm(in profile: Profile) -> SigningAlgorithm {
            profile.manners.clientsChooseAlgorithm ? registration.signingAlgorithm : .rs256
        }

        /// Whether another client id belongs to the same app.
        func isOfApp(of clientID: String, in transaction: some Transaction) throws -> Bool {
            try App.find(clientID: clientID, in: transaction)?.id == app.id
        }
    }

    private let database: any Database
    private let audiences: [String]
    private let now: @Sendable () -> Date
    /// Client secrets whose signature was valid, by hash, since a client uses one for hours. Claims and key are checked
    /// again on each call, so that a revoked key is refused.
    private let verified = Mutex<[SecretHash: Verified]>([:])

    private struct Verified {
        let secret: ClientSecret
        let publicKeyPEM: String
    }

    private static let verifiedMax = 4_096
    /// - Parameter issuer: the issuer of this server. `aud` may also be `https://appleid.apple.com`, which unmodified
    ///   clients have compiled in.
    package init(database: any Database, issuer: String, now: @escaping @Sendable () -> Date) {
        self.database = database
        audiences = [issuer, "https://appleid.apple.com"]
        self.now = now
    }

    /// The parsed credentials of a request. Their signature is valid; everything else is checked in the transaction
    /// that serves the client, so that a removal or revocation takes effect at once.
    package struct Credentials: Sendable {
        package let clientID: String
        let proof: Proof
        /// Whether keys of the app's former team are accepted too, while its people are handed over.
        var isOfEitherTeam = false
    }

    /// The role of a signed JWT.
    enum SignedProof: Sendable {
        /// A client secret, as the service that we are compatible with has it: issued by the team, valid for months.
        case clientSecret
        /// A client assertion: issued by the client itself, valid for an hour. RFC 7523 §3.
        case assertion(audiences: [String])
    }

    enum Proof: Sendable {
        /// A JWT that the client's team has signed.
        case signed(ClientSecret, SecretHash, SignedProof)
        /// The fixed secret of the client.
        case secret(SecretHash)
        /// No proof: a public client.
        case none
    }

    /// - Throws: ``OAuthError`` `invalid_client` or `invalid_request`
    package func credentials(
        clientID: String?, clientSecret: String?, ofEitherTeam isOfEitherTeam: Bool = false
    ) async throws -> Credentials {
        guard let clientID, !clientID.isEmpty else { throw OAuthError(.invalidRequest, "client_id is missing") }
        guard let clientSecret, !clientSecret.isEmpty else {
            throw OAuthError(.invalidClient, "client_secret is missing")
        }
        return try await signed(
            clientSecret, clientID: clientID, as: .clientSecret, ofEitherTeam: isOfEitherTeam)
    }

    /// For standard clients: a JWT as `client_assertion` (RFC 7523 §2.2), a fixed secret, or nothing but the id.
    /// - Parameters:
    ///   - audiences: the permitted values of an assertion's `aud`.
    /// - Throws: ``OAuthError`` `invalid_client` or `invalid_request`
    package func credentials(
        clientID: String?, assertion: String, audiences: [String]
    ) async throws -> Credentials {
        let secret = try ClientSecret(assertion)
        let credentials = try await signed(
            assertion, clientID: clientID ?? secret.claims.sub, as: .assertion(audiences: audiences))
        try await use(secret.claims, of: credentials)
        return credentials
    }

    /// Records that an assertion was used. RFC 7523 §3, item 7.
    /// - Throws: ``OAuthError`` `invalid_client` if it was used before.
    private func use(_ claims: ClientSecretClaims, of credentials: Credentials) async throws {
        let jti = try claims.requiredID
        let now = now()
        try await database.decide { transaction -> Verdict<Void, OAuthError> in
            // Only a valid assertion is stored.
            _ = try self.authenticate(credentials, in: transaction)
            let isFirst = try UsedAssertion.note(
                SecretHash(of: "\(credentials.clientID)\n\(jti)"),
                until: Date(timeIntervalSince1970: claims.exp + ClientSecretLifetime.tolerance + 1), at: now,
                in: transaction)
            return isFirst
                ? .commit(()) : .commitRefusal(OAuthError(.invalidClient, "the client assertion was used before"))
        }
    }

    /// - Throws: ``OAuthError`` `invalid_client` if there is neither id nor secret.
    package func credentials(clientID: String?, fixedSecret: String?) throws -> Credentials {
        guard let clientID, !clientID.isEmpty else { throw OAuthError(.invalidClient, "client_id is missing") }
        return Credentials(
            clientID: clientID, proof: fixedSecret.map { .secret(SecretHash(of: $0)) } ?? Proof.none)
    }

    private func signed(
        _ text: String, clientID: String, as use: SignedProof, ofEitherTeam isOfEitherTeam: Bool = false
    ) async throws -> Credentials {
        let hash = SecretHash(of: text)
        let known = verified.withLock { $0[hash] }
        let credentials = Credentials(
            clientID: clientID, proof: .signed(try known?.secret ?? ClientSecret(text), hash, use),
            isOfEitherTeam: isOfEitherTeam)
        if known != nil { return credentials }
        // The signature is checked outside of the transaction that serves the client, because others may wait for that.
        _ = try await database.read { try self.authenticate(credentials, in: $0) }
        return credentials
    }

    /// - Throws: ``OAuthError`` `invalid_client`
    package func authenticate(_ credentials: Credentials, in transaction: some Transaction) throws -> Client {
        let clientID = credentials.clientID
        guard let (client, app) = try Authorization.Client.findWithApp(clientID, in: transaction) else {
            throw OAuthError(.invalidClient, "there is no client with this client_id")
        }
        switch credentials.proof {
        case .signed(let secret, let hash, let use):
            guard let key = try TeamKey.find(secret.keyID, in: transaction),
                try key.teamID == app.teamID
                    || credentials.isOfEitherTeam
                        && AppTransfer.find(of: app.id, at: now(), in: transaction)?.from == key.teamID,
                let team = try Team.find(key.teamID, in: transaction)
            else { throw OAuthError(.invalidClient, "the team of the client has no key \(secret.keyID)") }
            guard key.revokedAt == nil else { throw OAuthError(.invalidClient, "the key \(key.keyID) is revoked") }
            try secret.check(clientID: clientID, team: team, as: use, audiences: audiences, at: now())
            // A client has one method of authentication; another one is refused.
            if case .assertion = use, client.authentication != .key {
                throw OAuthError(.invalidClient, "the client authenticates in another way (`lanyard app client`)")
            }
            if verified.withLock({ $0[hash] })?.publicKeyPEM != key.publicKeyPEM {
                try checkSignature(of: secret, by: key)
                remember(Verified(secret: secret, publicKeyPEM: key.publicKeyPEM), as: hash)
            }
            return Client(registration: client, app: app, teamID: team.id)
        case .secret(let hash):
            guard client.secretHash == hash else {
                throw OAuthError(.invalidClient, "the secret is not the client's")
            }
        case .none:
            guard client.authentication == .none else {
                throw OAuthError(.invalidClient, "the client is not public: it must authenticate")
            }
        }
        return Client(registration: client, app: app, teamID: app.teamID)
    }

    private func checkSignature(of secret: ClientSecret, by key: TeamKey) throws {
        guard secret.isSigned(by: try P256.Signing.PublicKey(pemRepresentation: key.publicKeyPEM)) else {
            throw OAuthError(.invalidClient, "the client secret is not signed by key \(key.keyID)")
        }
    }

    private func remember(_ one: Verified, as hash: SecretHash) {
        verified.withLock { verified in
            // The cache must not grow without end. Emptying it costs one more signature check per client.
            if verified.count >= Self.verifiedMax { verified.removeAll() }
            verified[hash] = one
        }
    }
}
