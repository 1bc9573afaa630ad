import Crypto

/// A random secret that is handed out once: a code, a refresh token or a session token. It is neither
/// `CustomStringConvertible` nor `Codable`, so that it does not end up in a log or a stored record by accident.
package struct Secret: Sendable {
    /// 256 random bits in base64url: 43 characters.
    package let text: String

    package init(from surroundings: Surroundings) {
        text = surroundings.randomBytes(32).base64URLEncoded
    }

    package var hash: SecretHash { SecretHash(of: text) }
}

/// SHA-256 of a secret. Only this is stored.
package struct SecretHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(of secret: String) {
        var (secret, hasher) = (secret, SHA256())
        secret.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        bytes = hasher.finalize().withUnsafeBytes { Array($0) }
    }

    /// - Parameter bytes: the bytes of a stored hash.
    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// The first 64 bits in base64url: enough to distinguish a few secrets, for example in a list, without revealing
    /// one.
    package var prefix: String { Array(bytes.prefix(8)).base64URLEncoded }
}
