import CLinux
import NIOCore
import NIOPosix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

extension ChildProgram {
    /// Runs a program, and returns what it writes until it closes its standard output or `time` is over.
    ///
    /// The program shares this process's standard error. It is killed when its output ends, when the time is over or
    /// when the task is canceled.
    /// - Returns: at most 1 MiB and one read more.
    /// - Throws: ``CannotSpawn``, or a POSIX or NIO error if there is no pipe.
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
            // Opened before `reap`: until the process is reaped no other can have its number.
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
            Data(try await end.futureResult.get().readableBytesView)
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// Gathers bytes until the pipe ends or there are too many.
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
