import Foundation
import JWTKit

/// Signs the `client_secret`, a JWT that proves that the app holds its private key.
///
/// ES256, signature in the raw 64-byte form of RFC 7518 section 3.4. One secret is used until shortly before it
/// expires.
actor ClientSecretSigner {
    private let configuration: LanyardClient.Configuration
    private let now: @Sendable () -> Date
    private let key: ES256PrivateKey
    private var latest: (secret: String, usableUntil: Date)?

    init(configuration: LanyardClient.Configuration, now: @escaping @Sendable () -> Date) throws {
        guard let key = try? ES256PrivateKey(pem: configuration.privateKeyPEM) else {
            throw LanyardClientError.invalidPrivateKey
        }
        self.configuration = configuration
        self.now = now
        self.key = key
    }

    func secret() async throws -> String {
        let now = now()
        if let latest, now < latest.usableUntil {
            return latest.secret
        }
        let lifetime = configuration.clientSecretLifetime
        let claims = ClientSecretClaims(
            issuer: configuration.teamID,
            issuedAt: Int(now.timeIntervalSince1970),
            expiresAt: Int(now.timeIntervalSince1970) + Int(lifetime.components.seconds),
            audience: configuration.audience,
            subject: configuration.clientID
        )
        let secret = try await JWTKeyCollection()
            .add(ecdsa: key)
            .sign(claims, header: ["kid": .string(configuration.keyID)])
        // The last fifth of its life is a reserve for slow requests and differing clocks.
        latest = (secret, now.addingTimeInterval((lifetime * 4 / 5).timeInterval))
        return secret
    }
}

private struct ClientSecretClaims: JWTPayload {
    let issuer: String
    let issuedAt: Int
    let expiresAt: Int
    let audience: String
    let subject: String

    /// Only ever signed here, never verified.
    func verify(using algorithm: some JWTAlgorithm) {}

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case issuedAt = "iat"
        case expiresAt = "exp"
        case audience = "aud"
        case subject = "sub"
    }
}

extension Duration {
    /// In seconds, for `Date`.
    var timeInterval: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
