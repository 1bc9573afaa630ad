import COpenSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A certificate of X.509. Two are equal if all their bytes are.
package struct Certificate: Hashable, Sendable {
    /// The whole certificate in DER.
    package let bytes: Data
    /// Its public key with the algorithm (SubjectPublicKeyInfo, DER).
    package let publicKey: Data

    /// - Parameter bytes: DER, with nothing behind it.
    package init?(_ bytes: Data) {
        let found: Certificate? = bytes.withUnsafeBytes { raw in
            let start = raw.bindMemory(to: UInt8.self).baseAddress
            var end = start
            guard let certificate = d2i_X509(nil, &end, raw.count) else { return nil }
            defer { X509_free(certificate) }
            return end == start?.advanced(by: raw.count) ? Certificate(certificate) : nil
        }
        ERR_clear_error()
        guard let found else { return nil }
        self = found
    }

    private init?(_ certificate: OpaquePointer) {
        guard let bytes = Self.data({ i2d_X509(certificate, $0) }),
            let publicKey = Self.data({ i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) })
        else { return nil }
        self.bytes = bytes
        self.publicKey = publicKey
    }

    /// What OpenSSL writes in DER, into memory of its own.
    private static func data(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> Data? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = write(&start)
        guard count > 0, let start else { return nil }
        defer { CRYPTO_free(start, nil, 0) }
        return Data(bytes: start, count: Int(count))
    }

    /// The certificates in PEM, in their order, until one that cannot be read. Other content is left out.
    package static func all(inPEM text: Data) -> [Certificate] {
        text.withUnsafeBytes { bytes in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return [] }
            defer { BIO_free(input) }
            var found: [Certificate] = []
            while let certificate = PEM_read_bio_X509(input, nil, nil, nil) {
                defer { X509_free(certificate) }
                if let one = Certificate(certificate) { found.append(one) }
            }
            ERR_clear_error()  // The loop ends with an error: no further certificate begins.
            return found
        }
    }

    /// PEM, with a line break at its end.
    package var pem: String {
        let text = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }
}
