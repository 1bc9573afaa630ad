import Crypto
import KerberosDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What binds a token to the TLS of one server: `tls-server-end-point`, the hash of its certificate (RFC 5929 §4). A server that
/// looks at it refuses tokens that somebody in between has passed on.
struct ChannelBinding: Equatable, Sendable {
    /// The name of the kind, a colon, and the hash (RFC 5056 §2.1).
    let data: [UInt8]

    /// - Parameter certificate: in DER.
    /// - Returns: nil if it is none, or is signed in a way for which the hash is not defined, such as Ed25519.
    init?(certificate: [UInt8]) {
        guard let hash = Self.hash(of: certificate) else { return nil }
        let bytes = Data(certificate)
        let digest: [UInt8] =
            switch hash {
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha384: Array(SHA384.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        data = Array("tls-server-end-point:".utf8) + digest
    }

    private enum Hash {
        case sha256, sha384, sha512
    }

    /// The hash of the certificate's own signature; SHA-256 where that is MD5 or SHA-1.
    private static func hash(of certificate: [UInt8]) -> Hash? {
        var reader = BER(certificate[...])
        guard var whole = reader.enter(BER.sequence), whole.content(BER.sequence) != nil,
            var algorithm = whole.enter(BER.sequence), let identifier = algorithm.content(BER.objectIdentifier)
        else { return nil }
        guard Array(identifier) == pss else { return signatures[Array(identifier)] }
        // RSASSA-PSS has its hash among the parameters, SHA-1 if it is left out (RFC 4055 §3.1).
        guard var parameters = algorithm.enter(BER.sequence) else { return nil }
        guard var first = parameters.enter(0xa0) else { return .sha256 }
        guard var named = first.enter(BER.sequence), let name = named.content(BER.objectIdentifier) else { return nil }
        return hashes[Array(name)]
    }

    private static let rsa: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
    private static let ecdsa: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04]
    private static let nist: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04]
    private static let pss = rsa + [10]

    /// By the identifier of the signature's algorithm (RFC 3279, RFC 4055, RFC 5758).
    private static let signatures: [[UInt8]: Hash] = [
        rsa + [4]: .sha256, rsa + [5]: .sha256, rsa + [11]: .sha256, rsa + [12]: .sha384, rsa + [13]: .sha512,
        ecdsa + [1]: .sha256, ecdsa + [3, 2]: .sha256, ecdsa + [3, 3]: .sha384, ecdsa + [3, 4]: .sha512,
        nist + [3, 2]: .sha256,
    ]

    private static let hashes: [[UInt8]: Hash] = [
        nist + [2, 1]: .sha256, nist + [2, 2]: .sha384, nist + [2, 3]: .sha512,
        [0x2b, 0x0e, 0x03, 0x02, 0x1a]: .sha256,
    ]
}
