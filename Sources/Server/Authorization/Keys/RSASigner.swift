import COpenSSL

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2), by OpenSSL. Signing is the most expensive step of a token answer,
/// and on processors with wide vector units OpenSSL takes less than half as long as swift-crypto, which does everything
/// else.
final class RSASigner: @unchecked Sendable {
    /// A signature that was begun with this key and has no message yet. Each signature is made with a copy of it, because OpenSSL looks
    /// for its algorithms whenever one is begun. Only read after initialization, which OpenSSL allows from several threads at once.
    private let begun: OpaquePointer
    /// In bytes.
    private let signatureSize: Int

    enum Failure: Error {
        case unreadableKey
        case notSigned
    }

    /// - Parameter derRepresentation: PKCS #1 or PKCS #8.
    /// - Throws: ``Failure/unreadableKey``
    init(derRepresentation: [UInt8]) throws {
        let key = derRepresentation.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &start, bytes.count)
        }
        // What was begun keeps the key.
        defer { EVP_PKEY_free(key) }
        guard let key, EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, let begun = EVP_MD_CTX_new() else {
            throw Failure.unreadableKey
        }
        guard EVP_DigestSignInit(begun, nil, EVP_sha256(), nil, key) == 1 else {
            EVP_MD_CTX_free(begun)
            throw Failure.unreadableKey
        }
        self.begun = begun
        signatureSize = Int(EVP_PKEY_get_size(key))
    }

    deinit { EVP_MD_CTX_free(begun) }

    /// - Throws: ``Failure/notSigned`` if there is not enough memory.
    func signature(for message: [UInt8]) throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = signatureSize
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_MD_CTX_copy_ex(context, begun) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw Failure.notSigned }
        return Array(signature.prefix(count))
    }
}
