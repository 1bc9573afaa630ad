@testable import AssociationFiles
import Foundation
import Ground
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SingleSignOn
import SingleSignOnWire
import Synchronization
import TestCertificates

/// A domain on loopback: a web server with TLS that answers as a test sets it, and notes the requests.
final class TestDomain: Sendable {
    /// The answer to each request.
    enum Script: Sendable {
        case answer(HTTPResponseStatus, [(String, String)] = [], Data)
        /// The head, and then a byte from time to time, without an end.
        case drip
        case silence
        /// The connection is closed before the answer.
        case hangUp
    }

    let port: Int
    private let channel: any Channel
    private let holder: Holder
    private let script: Mutex<Script>
    private let heads = Mutex<[HTTPRequestHead]>([])

    /// - Parameter highestTLS: the highest version of TLS; nil means no limit.
    init(
        _ certificate: TestCertificates.Certificate, _ script: Script, highestTLS: TLSVersion? = nil
    ) async throws {
        self.script = Mutex(script)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.path).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyPath, format: .pem)))
        if let highestTLS {
            tls.minimumTLSVersion = .tlsv1
            tls.maximumTLSVersion = highestTLS
        }
        let context = try NIOSSLContext(configuration: tls)
        let holder = Holder()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(holder))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        self.holder = holder
        holder.domain.withLock { $0 = self }
    }

    var requests: [HTTPRequestHead] { heads.withLock { $0 } }

    func answers(_ script: Script) { self.script.withLock { $0 = script } }

    func stop() async throws {
        try await channel.close()
        holder.domain.withLock { $0 = nil }
    }

    /// Fetches from this server, for any domain name.
    func fetcher(
        trusting authority: TestCertificates.Certificate?, heedsDeveloperMode: Bool = false,
        timeLimit: Duration = .seconds(10)
    ) throws -> AssociationFileFetcher {
        var rules = AssociationRules()
        rules.extraRoots = authority?.pem
        rules.heedsDeveloperMode = heedsDeveloperMode
        rules.port = port
        rules.addresses = ["id.acme.test": "127.0.0.1", "acme.test": "127.0.0.1", "other.test": "127.0.0.1"]
        return try AssociationFileFetcher(
            rules, places: PublicRoots.places, timeLimit: timeLimit, now: Surroundings.system.now)
    }

    /// The domain, which the handlers need and which can be made only after their server.
    private final class Holder: Sendable {
        let domain = Mutex<TestDomain?>(nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let holder: Holder

        init(_ holder: Holder) { self.holder = holder }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let domain = holder.domain.withLock({ $0 }) else { return context.close(promise: nil) }
            switch unwrapInboundIn(data) {
            case .head(let head): domain.heads.withLock { $0.append(head) }
            case .body: break
            case .end: answer(domain.script.withLock { $0 }, context)
            }
        }

        private func answer(_ script: Script, _ context: ChannelHandlerContext) {
            switch script {
            case .answer(let status, let fields, let body):
                let head = HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(fields))
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .drip:
                context.writeAndFlush(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok))), promise: nil)
                drip(NIOLoopBound(context, eventLoop: context.eventLoop))
            case .silence: break
            case .hangUp: context.close(promise: nil)
            }
        }

        private func drip(_ context: NIOLoopBound<ChannelHandlerContext>) {
            guard context.value.channel.isActive else { return }
            let byte = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: " ")))
            context.value.writeAndFlush(wrapOutboundOut(byte), promise: nil)
            let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
            context.value.eventLoop.scheduleTask(in: .milliseconds(20)) { handler.value.drip(context) }
        }
    }
}

extension TestDomain.Script {
    static func file(_ apps: String...) -> Self {
        let list = apps.map { "\"\($0)\"" }.joined(separator: ",")
        return .answer(.ok, [("Content-Type", "application/json")], Data(#"{"authsrv":{"apps":[\#(list)]}}"#.utf8))
    }
}

/// A certificate authority, and the certificates that it has issued for a test.
struct TestAuthority {
    let certificates: TestCertificates
    let root: TestCertificates.Certificate

    init() throws {
        certificates = try TestCertificates()
        root = try certificates.authority("Test Root")
    }

    func certificate(for host: String, days: Int = 30, by issuer: TestCertificates.Certificate?) throws
        -> TestCertificates.Certificate
    {
        try certificates.certificate(
            host, by: issuer, extensions: "subjectAltName=DNS:\(host)\nextendedKeyUsage=serverAuth", days: days)
    }
}

extension AssociatedDomain {
    static func test(_ text: String) -> AssociatedDomain {
        do {
            return try AssociatedDomain(text)
        } catch {
            preconditionFailure("\(text): \(error)")
        }
    }
}
