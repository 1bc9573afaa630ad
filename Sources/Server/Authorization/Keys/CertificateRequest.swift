import COpenSSL
import Crypto
import Foundation

/// A certificate request: PKCS #10, RFC 2986. Its signature proves that its maker has the private key.
package enum CertificateRequest {
    package static let bytesMax = 8_192

    package enum Problem: Error, CustomStringConvertible {
        case tooLong
        case unreadable
        case notSigned
        case otherKey

        package var description: String {
            switch self {
            case .tooLong: "it is longer than \(CertificateRequest.bytesMax) bytes"
            case .unreadable: "it is no PKCS #10 in PEM (“BEGIN CERTIFICATE REQUEST”)"
            case .notSigned: "its own key has not signed it"
            case .otherKey: "it is for another key than publicKey"
            }
        }
    }

    /// Checks that a request in PEM is for this key, and signed with it.
    /// - Parameter key: P-256, X9.63 without compression.
    /// - Throws: ``Problem``
    package static func check(_ pem: String, isFor key: [UInt8]) throws {
        guard pem.utf8.count <= bytesMax else { throw Problem.tooLong }
        let der = try bytes(of: pem)
        let request = try der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let request = d2i_X509_REQ(nil, &start, bytes.count) else { throw Problem.unreadable }
            return request
        }
        defer { X509_REQ_free(request) }
        guard let publicKey = X509_REQ_get0_pubkey(request), X509_REQ_verify(request, publicKey) == 1 else {
            throw Problem.notSigned
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(publicKey, &encoded)
        guard count > 0, let encoded else { throw Problem.unreadable }
        defer { CRYPTO_free(encoded, nil, 0) }
        let found = try? P256.Signing.PublicKey(derRepresentation: Data(bytes: encoded, count: Int(count)))
        guard found.map({ Array($0.x963Representation) }) == key else { throw Problem.otherKey }
    }

    /// The DER bytes in a PEM text. RFC 7468 §7.
    private static func bytes(of pem: String) throws -> [UInt8] {
        let lines = pem.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard lines.count > 2, lines.first == "-----BEGIN CERTIFICATE REQUEST-----",
            lines.last == "-----END CERTIFICATE REQUEST-----",
            let data = Data(base64Encoded: lines.dropFirst().dropLast().joined())
        else { throw Problem.unreadable }
        return Array(data)
    }
}
