import CLinux
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

extension ChildProgram {
    /// What a program writes until it closes its standard output, or until the time is over. It logs to this process's log.
    ///
    /// Is stopped with the task. Whatever the program does then, or after it has closed its output, nobody waits for: it is
    /// killed.
    static func output(
        of command: [String], on loop: any EventLoop, within time: TimeAmount
    ) async throws -> Data {
        var pipes: [Int32] = [-1, -1]
        guard pipe2(&pipes, O_CLOEXEC) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        let (input, output) = (pipes[0], pipes[1])
        let program: ProcessDescriptor?
        do {
            defer { close(output) }
            let started = try spawn(command[0], Array(command.dropFirst()), descriptors: [(output, 1), (2, 2)])
            // Before it is waited for: until then nobody else has its number.
            program = ProcessDescriptor(started)
            reap(started)
        } catch {
            close(input)
            throw error
        }
        defer { _ = program?.signal(SIGKILL) }
        let end = loop.makePromise(of: ByteBuffer.self)
        let channel: any Channel
        do {
            channel = try await NIOPipeBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(WholeOutput(end))
                    }
                }
                .takingOwnershipOfDescriptor(input: input).get()
        } catch {
            end.fail(error)
            throw error
        }
        let limit = loop.scheduleTask(in: time) { channel.close(promise: nil) }
        defer { limit.cancel() }
        return try await withTaskCancellationHandler {
            Data(buffer: try await end.futureResult.get())
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// All that comes until the pipe ends, or there is too much.
private final class WholeOutput: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let bytesMax = 1 << 20

    private let end: EventLoopPromise<ByteBuffer>
    private var bytes = ByteBuffer()

    init(_ end: EventLoopPromise<ByteBuffer>) { self.end = end }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        bytes.writeBuffer(&part)
        if bytes.readableBytes > Self.bytesMax { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { end.succeed(bytes) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
