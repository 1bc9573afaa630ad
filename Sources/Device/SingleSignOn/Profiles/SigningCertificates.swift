import COpenSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The certificates that vouch for profiles: a signature counts if its certificate is one of these or leads to one.
/// There are no other roots.
public struct SigningCertificates: Equatable, Sendable {
    /// DER.
    let certificates: [Data]

    public enum Problem: Error, Equatable, CustomStringConvertible {
        case noCertificate

        public var description: String { "this has no certificate: write it as PEM, with -----BEGIN CERTIFICATE-----." }
    }

    /// - Parameter pem: one or more certificates; other content is ignored.
    public init(pem: Data) throws(Problem) {
        var found: [Data] = []
        pem.withUnsafeBytes { bytes in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return }
            defer { BIO_free(input) }
            while let certificate = PEM_read_bio_X509(input, nil, nil, nil) {
                defer { X509_free(certificate) }
                var start: UnsafeMutablePointer<UInt8>?
                let count = i2d_X509(certificate, &start)
                guard count > 0, let start else { continue }
                found.append(Data(bytes: start, count: Int(count)))
                CRYPTO_free(start, nil, 0)
            }
            ERR_clear_error()  // The loop ends with an error: no further certificate begins.
        }
        guard !found.isEmpty else { throw .noCertificate }
        certificates = found
    }

    private init(_ certificates: [Data]) { self.certificates = certificates }

    /// No certificates: no signature counts.
    public static let none = SigningCertificates([])

    public var isEmpty: Bool { certificates.isEmpty }

    public static func + (left: SigningCertificates, right: SigningCertificates) -> SigningCertificates {
        SigningCertificates(left.certificates + right.certificates)
    }
}
