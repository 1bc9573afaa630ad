import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// The reason why a server could not be reached, as a sentence.
struct ConnectionProblem: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description =
            switch error {
            case let error as NIOConnectionError where error.dnsAError != nil || error.dnsAAAAError != nil:
                "its name is not known to DNS"
            case let error as NIOConnectionError:
                error.connectionErrors.first.map { Self($0.error).description } ?? "nobody answers there"
            case let error as IOError: String(cString: strerror(error.errnoCode))
            case let error as NIOSSLExtraError where error == .failedToValidateHostname:
                "its certificate is made for another name"
            case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
                "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
                    ? "its certificate is not valid today, or not made by an authority that this device knows"
                    : "there is no TLS with it"
            case let error as HTTPClientError: error.shortDescription
            default: "\(error)"
            }
    }
}
