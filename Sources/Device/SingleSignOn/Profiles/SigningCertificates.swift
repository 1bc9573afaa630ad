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
        let found = Certificate.all(inPEM: pem).map(\.bytes)
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
