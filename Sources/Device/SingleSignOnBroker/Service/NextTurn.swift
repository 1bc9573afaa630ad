import CLinux
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// Puts work off until an event loop has polled all of its connections once more. Used on that loop alone.
///
/// `execute` does not do that: the loop runs all submitted work before it polls, also work that is submitted meanwhile.
/// So a byte is written to a pipe, which the loop notices when it polls.
final class NextTurn: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    struct CannotStart: Error, CustomStringConvertible {
        let errno: Int32
        var description: String { "there is no pipe for the event loop: \(String(cString: strerror(errno)))" }
    }

    private let bell: Int32
    private var waiting: [() -> Void] = []

    private init(bell: Int32) {
        self.bell = bell
    }

    deinit { close(bell) }

    /// The pipe stays open until the loop ends.
    /// - Throws: ``CannotStart``, or an error of NIO's.
    static func start(on loop: any EventLoop) async throws -> NextTurn {
        var pipes: [Int32] = [-1, -1]
        guard pipe2(&pipes, O_CLOEXEC | O_NONBLOCK) == 0 else { throw CannotStart(errno: errno) }
        let (input, turn) = (pipes[0], NextTurn(bell: pipes[1]))
        _ = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(turn) }
            }
            .takingOwnershipOfDescriptor(input: input).get()
        return turn
    }

    /// - Parameter body: called in the next turn, after what was put off before.
    func run(_ body: @escaping () -> Void) {
        waiting.append(body)
        guard waiting.count == 1 else { return }
        var byte: UInt8 = 0
        _ = write(bell, &byte, 1)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Work that these put off runs in the turn after the next poll.
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
