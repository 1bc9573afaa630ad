import CLinux
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOPosix
import SingleSignOn

#if canImport(Glibc)
    import Glibc
#endif

/// Has a domain's association file fetched by a process that does nothing else.
///
/// What strangers send is read apart from all that the broker knows and may do; and TLS and the resolver, which take more
/// memory than the rest of the broker, and threads that wake up without need, do not stay with a broker that is idle.
public struct FetchingProcess: Sendable {
    /// The program and its first arguments; the domain's entry is added.
    private let command: [String]
    private let loop: any EventLoop

    /// The process ends by itself before that.
    private static let timeLimit = TimeAmount.seconds(30)
    static let bytesMax = 1 << 20

    init(_ command: [String], on loop: any EventLoop) {
        self.command = command
        self.loop = loop
    }

    /// What goes over the pipe.
    private enum Answer: Codable {
        case apps(Set<String>)
        case denied(String)
        case unreachable(String)
    }

    func fetch(_ domain: AssociatedDomain) async -> Result<AssociationFile, AssociationFileFailure> {
        do {
            let bytes = try await output(of: command + [domain.description])
            switch try JSONDecoder().decode(Answer.self, from: bytes) {
            case .apps(let apps): return .success(AssociationFile(apps: apps))
            case .denied(let reason): return .failure(.denied(reason))
            case .unreachable(let reason): return .failure(.unreachable(reason))
            }
        } catch {
            return .failure(.unreachable("\(domain.domain) could not be asked: the process for it ended (\(error))"))
        }
    }

    /// What the process does: asks, and writes the answer to standard output.
    public static func run(_ fetcher: AssociationFileFetcher, for domain: AssociatedDomain) async throws {
        // Whatever holds it up, also a resolver that does not come back.
        alarm(20)
        let answer: Answer =
            switch await fetcher.fetch(domain) {
            case .success(let file): .apps(file.apps)
            case .failure(.denied(let reason)): .denied(reason)
            case .failure(.unreachable(let reason)): .unreachable(reason)
            }
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(answer))
    }

    private func output(of command: [String]) async throws -> Data {
        var pipes: [Int32] = [-1, -1]
        guard pipe2(&pipes, O_CLOEXEC) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        let (input, output) = (pipes[0], pipes[1])
        do {
            defer { close(output) }
            // Its log is the broker's.
            ChildProgram.reap(
                try ChildProgram.spawn(command[0], Array(command.dropFirst()), descriptors: [(output, 1), (2, 2)]))
        } catch {
            close(input)
            throw error
        }
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
        let limit = loop.scheduleTask(in: Self.timeLimit) { channel.close(promise: nil) }
        defer { limit.cancel() }
        return try await withTaskCancellationHandler {
            Data(buffer: try await end.futureResult.get())
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// All that comes until the pipe ends.
private final class WholeOutput: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let end: EventLoopPromise<ByteBuffer>
    private var bytes = ByteBuffer()

    init(_ end: EventLoopPromise<ByteBuffer>) { self.end = end }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        bytes.writeBuffer(&part)
        if bytes.readableBytes > FetchingProcess.bytesMax { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { end.succeed(bytes) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
