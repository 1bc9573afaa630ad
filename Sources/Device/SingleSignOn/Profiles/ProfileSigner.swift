import COpenSSL
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs profiles with an organization's key, in the CMS wrapper that ``SignedProfile`` opens (RFC 5652, SignedData,
/// DER, SHA-256).
public struct ProfileSigner: Sendable {
    /// The name in the certificate.
    public let name: String
    public let validFrom: Date
    public let validUntil: Date
    /// The signer's own, and those that lead to its authority.
    private let certificates: SigningCertificates
    /// PEM.
    private let key: Data

    public enum Problem: Error, Equatable, CustomStringConvertible {
        case noCertificate
        case noKey
        /// The key is encrypted, and there is nobody whom to ask for its passphrase.
        case lockedKey
        /// The key is not the one of the first certificate.
        case foreignKey
        case notYetValid(from: Date)
        case expired(Date)
        /// No device would accept what this key signs.
        case unusable

        public var description: String {
            switch self {
            case .noCertificate: "There is no certificate: write it as PEM, with -----BEGIN CERTIFICATE-----."
            case .noKey: "There is no private key: write it as PEM, with -----BEGIN PRIVATE KEY-----."
            case .lockedKey:
                "The private key has a passphrase, for which nobody can be asked: openssl pkey takes it away."
            case .foreignKey:
                "The private key is not the one of the first certificate, which has to be the signer's own."
            case .notYetValid(let day): "The certificate is not valid before \(day.formatted(Self.day))."
            case .expired(let day): "The certificate has expired on \(day.formatted(Self.day))."
            case .unusable:
                """
                Devices would not accept this key: it has to be RSA with 2048 bits or more, or of the elliptic curve \
                P-256, P-384 or P-521.
                """
            }
        }

        private static var day: Date.ISO8601FormatStyle { Date.ISO8601FormatStyle().year().month().day() }
    }

    /// - Parameters:
    ///   - certificates: PEM; the signer's own first, then those that lead to its authority.
    ///   - key: the private key of the first certificate, PEM without a passphrase.
    public init(certificates: Data, key: Data, at now: Date) throws(Problem) {
        do {
            self.certificates = try SigningCertificates(pem: certificates)
        } catch {
            throw .noCertificate
        }
        self.key = key
        let stack = CertificateStack(self.certificates)
        guard let own = CertificateStack.elements(of: stack.stack).first else { throw .noCertificate }
        name = SignedProfile.name(of: own)
        guard let first = Self.date(X509_get0_notBefore(own)), let last = Self.date(X509_get0_notAfter(own)) else {
            throw .noCertificate
        }
        (validFrom, validUntil) = (first, last)
        try Self.withKey(key) { key throws(Problem) in
            guard X509_check_private_key(own, key) == 1 else {
                ERR_clear_error()
                throw .foreignKey
            }
        }
        // Held against what a device would say that has this certificate in its policy.
        let sample = try sign(Data("<plist/>".utf8), at: now)
        guard let opened = try? SignedProfile(sample, certificates: self.certificates), opened.voucher == .vouched
        else {
            throw .unusable
        }
    }

    /// - Throws: ``Problem/expired(_:)``, ``Problem/notYetValid(from:)``, ``Problem/unusable``
    public func sign(_ profile: Data, at now: Date) throws(Problem) -> Data {
        guard now >= validFrom else { throw .notYetValid(from: validFrom) }
        guard now < validUntil else { throw .expired(validUntil) }
        defer { ERR_clear_error() }
        let stack = CertificateStack(certificates)
        let all = CertificateStack.elements(of: stack.stack)
        guard let own = all.first else { throw .noCertificate }
        // The signer's own is added by itself; a second time would be an error.
        let others = OPENSSL_sk_new_null()
        defer { OPENSSL_sk_free(others) }
        for certificate in all.dropFirst() where X509_cmp(certificate, own) != 0 {
            OPENSSL_sk_push(others, UnsafeRawPointer(certificate))
        }
        return try Self.withKey(key) { key throws(Problem) in
            let signed: Data? = profile.withUnsafeBytes { bytes in
                guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
                defer { BIO_free(input) }
                guard let message = CMS_sign(own, key, others, input, UInt32(CMS_BINARY)) else { return nil }
                defer { CMS_ContentInfo_free(message) }
                var start: UnsafeMutablePointer<UInt8>?
                let count = i2d_CMS_ContentInfo(message, &start)
                guard count > 0, let start else { return nil }
                defer { CRYPTO_free(start, nil, 0) }
                return Data(bytes: start, count: Int(count))
            }
            guard let signed else { throw .unusable }
            return signed
        }
    }

    /// Reads the key, and frees it afterwards.
    private static func withKey<Value>(
        _ pem: Data, _ body: (OpaquePointer) throws(Problem) -> Value
    ) throws(Problem) -> Value {
        var isLocked = false
        let key: OpaquePointer? = pem.withUnsafeBytes { bytes in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return withUnsafeMutablePointer(to: &isLocked) { isLocked in
                // Without a callback, OpenSSL would ask at the terminal.
                PEM_read_bio_PrivateKey(
                    input, nil,
                    { _, _, _, isLocked in
                        isLocked?.assumingMemoryBound(to: Bool.self).pointee = true
                        return -1
                    }, isLocked)
            }
        }
        ERR_clear_error()
        guard let key else { throw isLocked ? .lockedKey : .noKey }
        defer { EVP_PKEY_free(key) }
        return try body(key)
    }

    /// Nil for a time that is none.
    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(seconds))
    }
}
