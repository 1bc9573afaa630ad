import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A random secret that is handed out once: a code, a refresh token, a session. It has no description
/// and no `Codable`, so that it does not slip into a log or a record.
package struct Secret: Sendable {
    /// URL-safe, 43 characters for 256 bits.
    package let text: String

    package init(from surroundings: Surroundings) {
        text = Data(surroundings.randomBytes(32)).base64URLEncoded
    }

    package var hash: SecretHash { SecretHash(of: text) }
}

/// SHA-256 of a secret: all that is stored of it.
package struct SecretHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(of secret: String) { bytes = Array(SHA256.hash(data: Data(secret.utf8))) }

    /// - Parameter bytes: those of a hash that was stored.
    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// The first 64 bits, URL-safe: enough to name one of a few, and no help to whoever wants the secret.
    package var prefix: String { Data(bytes.prefix(8)).base64URLEncoded }
}
