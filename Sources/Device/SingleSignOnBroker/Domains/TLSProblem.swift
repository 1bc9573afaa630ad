import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// A sentence on why no TLS connection to a server could be made.
struct TLSProblem: CustomStringConvertible {
    let description: String

    init(_ error: any Error, host: String, address: String, port: Int, at now: Date) async {
        guard error as? NIOSSLExtraError != .failedToValidateHostname else {
            description = Self.refused(host, "it is made for another name")
            return
        }
        // The reason stands in the middle of BoringSSL's own text, between file names and line numbers.
        let reason = "\(error)".firstMatch(of: /OPENSSL_internal:(\w+)/).map { String($0.1) }
        guard reason == "CERTIFICATE_VERIFY_FAILED" else {
            let words = reason.map { ": " + $0.lowercased().replacing("_", with: " ") } ?? ""
            description = "\(host) could not be asked: there is no TLS with it\(words)"
            return
        }
        // BoringSSL does not say what is wrong with the certificate, so the server is asked for it once more.
        let certificate = await Self.certificate(of: host, at: address, port: port)
        if let until = certificate?.validity.end, until < now {
            description = Self.refused(host, "it has expired, at \(until.formatted(.iso8601))")
        } else if let from = certificate?.validity.start, from > now {
            description = Self.refused(host, "it is not valid before \(from.formatted(.iso8601))")
        } else {
            description = Self.refused(host, "it is not made by an authority that the public knows")
        }
    }

    private static func refused(_ host: String, _ why: String) -> String {
        "\(host) has no certificate that counts: \(why)"
    }

    /// The certificate that a server presents. The handshake is then broken off: the certificate only serves to explain
    /// the failure and is not trusted.
    private static func certificate(of host: String, at address: String, port: Int) async -> NIOSSLCertificate? {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let shown = loop.makePromise(of: NIOSSLCertificate?.self)
        let limit = loop.scheduleTask(in: .seconds(2)) { shown.succeed(nil) }
        defer { limit.cancel() }
        do {
            let context = try NIOSSLContext(configuration: .makeClientConfiguration())
            let channel = try await ClientBootstrap(group: loop)
                .connectTimeout(.seconds(2))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(
                            context: context, serverHostname: host,
                            customVerificationCallback: { certificates, verdict in
                                shown.succeed(certificates.first)
                                verdict.succeed(.failed)
                            })
                        try channel.pipeline.syncOperations.addHandler(tls)
                    }
                }
                .connect(host: address, port: port).get()
            channel.closeFuture.whenComplete { _ in shown.succeed(nil) }
            let certificate = try await shown.futureResult.get()
            channel.close(promise: nil)
            return certificate
        } catch {
            shown.succeed(nil)
            return nil
        }
    }
}

extension NIOSSLCertificate {
    fileprivate var validity: DateInterval {
        let times = [notValidBefore, notValidAfter].map { Date(timeIntervalSince1970: TimeInterval($0)) }
        return DateInterval(start: times[0], end: max(times[0], times[1]))
    }
}
