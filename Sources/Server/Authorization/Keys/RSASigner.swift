import COpenSSL
import Foundation

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2), by OpenSSL. Signing is the most expensive step of a token answer,
/// and on processors with wide vector units OpenSSL takes less than half as long as swift-crypto, which does everything
/// else.
final class RSASigner: @unchecked Sendable {
    /// Only read after initialization, which OpenSSL allows from several threads at once.
    private let key: OpaquePointer

    enum Failure: Error {
        case unreadableKey
        case notSigned
    }

    /// - Parameter derRepresentation: PKCS #1 or PKCS #8.
    /// - Throws: ``Failure/unreadableKey``
    init(derRepresentation: [UInt8]) throws {
        key = try derRepresentation.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let key = d2i_AutoPrivateKey(nil, &start, bytes.count), EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
            else { throw Failure.unreadableKey }
            return key
        }
    }

    deinit { EVP_PKEY_free(key) }

    /// - Throws: ``Failure/notSigned`` if there is not enough memory.
    func signature(for message: Data) throws -> Data {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: count)
        let isSigned = message.withUnsafeBytes { message in
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1
                && EVP_DigestSign(
                    context, &signature, &count, message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count)
                    == 1
        }
        guard isSigned else { throw Failure.notSigned }
        return Data(signature.prefix(count))
    }
}
