import COpenSSL
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An opened profile in a CMS wrapper (RFC 5652, SignedData, DER or BER): its content and its signer.
///
/// The signature itself is always verified. Whether the signer is trusted is a separate question, answered by
/// ``voucher``. docs/specifications/extensible-single-sign-on.md, 1.12 and 1.15.
public struct SignedProfile: Equatable, Sendable {
    /// The signed content, normally a property list; not parsed here.
    public let content: Data
    /// The name in the certificate of the first signer.
    public let signer: String
    public let voucher: Voucher

    public enum Voucher: Equatable, Sendable {
        /// Every signature leads to one of the given certificates.
        case vouched
        /// A signature leads to none of them.
        case unknown
        /// A certificate on the way has expired or is not valid yet.
        case expired
        /// The signer's certificate is for another purpose, such as a web server.
        case otherPurpose
    }

    public enum Problem: Error, Equatable, CustomStringConvertible {
        case tooLarge(bytes: Int)
        case damaged
        /// The message has only a signature; the content is elsewhere.
        case noContent
        case weak
        case tooManySigners

        public var description: String {
            switch self {
            case .tooLarge(let bytes):
                "This has \(bytes) bytes; a signed profile has at most \(SignedProfile.bytesMax)."
            case .damaged: "This signed profile is damaged, or was changed after it was signed."
            case .noContent: "This is a signature without the profile."
            case .weak: "This profile is signed with a digest that can be forged."
            case .tooManySigners: "This profile has more than \(SignedProfile.signersMax) signatures."
            }
        }

        public var remedy: String {
            switch self {
            case .tooLarge: "Split the profile."
            case .damaged: "Get it again from where it comes, or have it signed again."
            case .noContent: "Sign it with the profile inside: openssl cms -sign -nodetach -outform DER."
            case .weak: "Sign it with SHA-256, SHA-384 or SHA-512."
            case .tooManySigners: "Have it signed by one."
            }
        }
    }

    /// Maximum size in bytes of a profile with its certificates.
    public static let bytesMax = PropertyListValue.bytesMax + (256 << 10)
    static let signersMax = 8

    /// Whether the bytes begin like a signed CMS message: a sequence whose first element is `id-signedData`.
    public static func isSigned(_ data: Data) -> Bool {
        guard data.first == 0x30 else { return false }
        let identifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        // The length of the sequence takes one to nine bytes.
        return data.prefix(10 + identifier.count).dropFirst(2).firstRange(of: identifier) != nil
    }

    /// - Parameters:
    ///   - data: bytes for which ``isSigned(_:)`` is true.
    ///   - certificates: the certificates whose signatures count.
    public init(_ data: Data, certificates: SigningCertificates) throws(Problem) {
        guard data.count <= Self.bytesMax else { throw .tooLarge(bytes: data.count) }
        defer { ERR_clear_error() }
        let pinned = CertificateStack(certificates)
        guard let message = Self.message(data) else { throw .damaged }
        defer { CMS_ContentInfo_free(message) }
        guard OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed else { throw .damaged }
        guard let place = CMS_get0_content(message), place.pointee != nil else { throw .noContent }
        try Self.checkSignatures(of: message)

        guard let output = BIO_new(BIO_s_mem()) else { throw .damaged }
        defer { BIO_free(output) }
        // The message may omit the signer's certificate if it is one of the given ones.
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        guard CMS_verify(message, pinned.stack, nil, nil, output, flags) == 1 else { throw .damaged }
        guard let signers = CMS_get0_signers(message) else { throw .damaged }
        defer { OPENSSL_sk_free(signers) }
        let all = CertificateStack.elements(of: signers)
        guard let first = all.first else { throw .damaged }

        content = Self.bytes(of: output)
        signer = Self.name(of: first)
        let sent = CMS_get1_certs(message)
        defer { CertificateStack.free(sent) }
        let vouchers = all.map { pinned.vouch(for: $0, sent: sent) }
        voucher = vouchers.first { $0 != .vouched } ?? .vouched
    }

    private static func message(_ data: Data) -> OpaquePointer? {
        data.withUnsafeBytes { bytes in
            var start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            return d2i_CMS_ContentInfo(nil, &start, bytes.count)
        }
    }

    /// At most `signersMax` signatures, and none with a digest for which collisions are known.
    private static func checkSignatures(of message: OpaquePointer) throws(Problem) {
        let signatures = CMS_get0_SignerInfos(message)
        let count = OPENSSL_sk_num(signatures)
        guard count > 0 else { throw .damaged }
        guard count <= signersMax else { throw .tooManySigners }
        for index in 0..<count {
            var digest: UnsafeMutablePointer<X509_ALGOR>?
            CMS_SignerInfo_get0_algs(OpaquePointer(OPENSSL_sk_value(signatures, index)), nil, nil, &digest, nil)
            guard let digest, [NID_sha256, NID_sha384, NID_sha512].contains(OBJ_obj2nid(digest.pointee.algorithm))
            else { throw .weak }
        }
    }

    private static func bytes(of memory: OpaquePointer) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = BIO_read(memory, &buffer, Int32(buffer.count)), count > 0 {
            data.append(contentsOf: buffer[..<Int(count)])
        }
        return data
    }

    /// The common name, otherwise the organization's name, otherwise the whole subject.
    static func name(of certificate: OpaquePointer) -> String {
        let subject = X509_get_subject_name(certificate)
        for part in [NID_commonName, NID_organizationName] {
            let place = X509_NAME_get_index_by_NID(subject, part, -1)
            guard place >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)) else {
                continue
            }
            var start: UnsafeMutablePointer<UInt8>?
            let count = ASN1_STRING_to_UTF8(&start, value)
            guard count > 0, let start else { continue }
            defer { CRYPTO_free(start, nil, 0) }
            return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
        }
        guard let line = X509_NAME_oneline(subject, nil, 0) else { return "somebody without a name" }
        defer { CRYPTO_free(line, nil, 0) }
        return String(cString: line)
    }
}

/// Certificates as an OpenSSL stack, which is freed with this object.
final class CertificateStack {
    let stack: OpaquePointer?

    init(_ certificates: SigningCertificates) {
        stack = OPENSSL_sk_new_null()
        for data in certificates.certificates {
            data.withUnsafeBytes { bytes in
                var start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
                guard let certificate = d2i_X509(nil, &start, bytes.count) else { return }
                OPENSSL_sk_push(stack, UnsafeRawPointer(certificate))
            }
        }
    }

    deinit { Self.free(stack) }

    static func elements(of stack: OpaquePointer?) -> [OpaquePointer] {
        (0..<max(0, OPENSSL_sk_num(stack))).compactMap { OpaquePointer(OPENSSL_sk_value(stack, $0)) }
    }

    /// Frees the stack and its certificates.
    static func free(_ stack: OpaquePointer?) {
        elements(of: stack).forEach { X509_free($0) }
        OPENSSL_sk_free(stack)
    }

    /// - Parameter sent: the certificates in the message, which may be intermediate ones.
    func vouch(for signer: OpaquePointer, sent: OpaquePointer?) -> SignedProfile.Voucher {
        let pinned = Self.elements(of: stack)
        guard !pinned.isEmpty, let store = X509_STORE_new(), let context = X509_STORE_CTX_new() else {
            return .unknown
        }
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
        }
        for certificate in pinned { X509_STORE_add_cert(store, certificate) }
        // Each given certificate is a trust anchor, even if it is not self-signed.
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        guard X509_STORE_CTX_init(context, store, signer, sent) == 1 else { return .unknown }
        X509_VERIFY_PARAM_set_depth(X509_STORE_CTX_get0_param(context), 8)
        // At least 112 bits of security: RSA with 2048 bits or more, no SHA-1.
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), 2)
        guard X509_verify_cert(context) == 1 else {
            switch X509_STORE_CTX_get_error(context) {
            case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: return .expired
            default: return .unknown
            }
        }
        // A given authority may also issue certificates for web servers, so the purpose is checked too.
        let isGiven = pinned.contains { X509_cmp($0, signer) == 0 }
        let uses = X509_get_extended_key_usage(signer)
        let isForSigning = uses & UInt32(XKU_SMIME | XKU_CODE_SIGN | XKU_ANYEKU) != 0
        return isGiven || isForSigning ? .vouched : .otherPurpose
    }
}
