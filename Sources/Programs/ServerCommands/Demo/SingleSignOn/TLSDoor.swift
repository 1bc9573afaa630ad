import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// A TLS proxy in front of the demo's server, as a real installation has one: it decrypts connections and passes the
/// bytes on to a local port.
struct TLSDoor: Service {
    let port: Int
    let target: Int
    let authority: DemoAuthority

    func run() async throws {
        let certificates = try NIOSSLCertificate.fromPEMFile(authority.certificateFile).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(file: authority.keyFile, format: .pem)
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: certificates, privateKey: .privateKey(key)))
        let target = target
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { outside in
                // Accepts no data from outside before the connection to the server is established.
                ClientBootstrap(group: outside.eventLoop)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { inside in
                        try outside.pipeline.syncOperations.addHandlers(
                            NIOSSLServerHandler(context: context), PassingOn(to: inside))
                        try inside.pipeline.syncOperations.addHandler(PassingOn(to: outside))
                    }
            }
            .bind(host: "127.0.0.1", port: port).get()
        await withTaskCancellationOrGracefulShutdownHandler {
            try? await server.closeFuture.get()
        } onCancelOrGracefulShutdown: {
            server.close(promise: nil)
        }
    }
}

/// Passes on the bytes of a connection, and its end.
private final class PassingOn: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
