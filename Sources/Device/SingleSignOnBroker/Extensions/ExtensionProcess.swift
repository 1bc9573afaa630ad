import CLinux
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// A running extension: its process, and the socket pair between it and the broker.
final class ExtensionProcess: ExtensionLink, Sendable {
    let processIdentifier: Int32
    private let channel: any Channel
    private let process: ProcessDescriptor
    private let end: End

    /// The time between the signal to end and the kill.
    static let killDelay = TimeAmount.seconds(5)

    enum Event: Sendable {
        case report(ExtensionReport)
        /// It has sent bytes that are not a message, or a message that is too large. The text says which.
        case nonsense(String)
        /// The socket was closed: the extension has ended, or has closed it.
        case ended
    }

    enum CannotStart: Error, CustomStringConvertible {
        case spawn(path: String, errno: Int32)
        case system(String, errno: Int32)

        var description: String {
            switch self {
            case .spawn(let path, let errno): "\(path) cannot be started: \(String(cString: strerror(errno)))"
            case .system(let call, let errno): "\(call): \(String(cString: strerror(errno)))"
            }
        }
    }

    /// What a process is started with.
    struct Launch: Sendable {
        var executable: String
        var arguments: [String]
        var environment: [String: String]
    }

    /// Words on how the process ended; nil until that is known.
    private final class End: Sendable {
        let words = NIOLockedValueBox<String?>(nil)
    }

    private init(processIdentifier: Int32, _ process: ProcessDescriptor, _ end: End, channel: any Channel) {
        self.processIdentifier = processIdentifier
        self.process = process
        self.end = end
        self.channel = channel
    }

    /// - Parameters:
    ///   - receive: called on the event loop, possibly before this returns.
    ///   - log: called with each line that the extension writes to its outputs.
    /// - Throws: ``CannotStart``, or an error of NIO's.
    static func start(
        _ launch: Launch, on loop: any EventLoop, receive: @escaping @Sendable (Event) -> Void,
        log: @escaping @Sendable (String) -> Void
    ) async throws -> ExtensionProcess {
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            throw CannotStart.system("socketpair", errno: errno)
        }
        var pipes: [Int32] = [-1, -1]
        guard pipe2(&pipes, O_CLOEXEC) == 0 else {
            let reason = errno
            for socket in sockets { close(socket) }
            throw CannotStart.system("pipe", errno: reason)
        }
        let (socket, output) = (sockets[0], pipes[0])
        let spawned = Result { try spawn(launch, socket: sockets[1], output: pipes[1]) }
        // Our copies must be closed: otherwise we never read end-of-file when the extension exits.
        close(sockets[1])
        close(pipes[1])
        let processIdentifier: Int32
        let process: ProcessDescriptor
        let end = End()
        do {
            processIdentifier = try spawned.get()
            process = try held(processIdentifier, end)
        } catch {
            close(socket)
            close(output)
            throw error
        }
        do {
            let written = try await NIOPipeBootstrap(group: loop)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4_096))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ExtensionLogHandler(log))
                    }
                }
                .takingOwnershipOfDescriptor(input: output).get()
            let channel = try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(ReportDecoder()))
                        try channel.pipeline.syncOperations.addHandler(ReportHandler(receive))
                    }
                }
                .withConnectedSocket(socket).get()
            // A program that it has left running may keep the pipe open for ever.
            channel.closeFuture.whenComplete { _ in
                loop.scheduleTask(in: killDelay + .seconds(1)) { written.close(promise: nil) }
            }
            return ExtensionProcess(processIdentifier: processIdentifier, process, end, channel: channel)
        } catch {
            _ = process.signal(SIGKILL)
            throw error
        }
    }

    /// Opens a descriptor of a child that was just started, and has it reaped.
    private static func held(_ processIdentifier: Int32, _ end: End) throws(CannotStart) -> ProcessDescriptor {
        defer { ChildProgram.reap(processIdentifier) { words in end.words.withLockedValue { $0 = words } } }
        guard let process = ProcessDescriptor(processIdentifier) else {
            let reason = errno
            _ = Glibc.kill(processIdentifier, SIGKILL)
            throw .system("pidfd_open", errno: reason)
        }
        return process
    }

    /// Whether its socket is open. False before ``Event/ended`` is received.
    var isConnected: Bool { channel.isActive }

    /// Words on how the process ended: its exit status or the signal. To be asked after ``Event/ended``.
    ///
    /// A process may have closed its socket and still run, so the end is waited for half a second at most.
    func howItEnded() async -> String {
        for _ in 0..<Self.looks {
            if let words = end.words.withLockedValue({ $0 }) { return words }
            try? await channel.eventLoop.scheduleTask(in: .milliseconds(10)) {}.futureResult.get()
        }
        return "it has closed its socket"
    }

    private static let looks = 50

    func send(_ command: ExtensionCommand) {
        guard let message = try? JSONEncoder().encode(command) else { return }
        var frame = channel.allocator.buffer(capacity: message.count + 4)
        frame.writeInteger(UInt32(message.count))
        frame.writeBytes(message)
        channel.writeAndFlush(frame, promise: nil)
    }

    /// Closes the socket and sends SIGTERM. A proper extension ends for either.
    func stop() {
        channel.close(promise: nil)
        _ = process.signal(SIGTERM)
        // A debugger may have stopped it, and a stopped process does not act on SIGTERM.
        _ = process.signal(SIGCONT)
    }

    /// Kills the process and those that it has started.
    func kill() {
        channel.close(promise: nil)
        guard process.signal(SIGKILL) else { return }
        // It leads a process group of its own, so its number stays in use as long as the group has members.
        _ = Glibc.kill(-processIdentifier, SIGKILL)
    }

    /// Descriptor 3 is the socket, and both outputs lead to the log. No other descriptor is inherited.
    private static func spawn(_ launch: Launch, socket: Int32, output: Int32) throws -> Int32 {
        do {
            return try ChildProgram.spawn(
                launch.executable, launch.arguments,
                environment: launch.environment.merging([ExtensionProtocol.socketVariable: "3"]) { $1 },
                descriptors: [(output, 1), (output, 2), (socket, 3)])
        } catch {
            throw CannotStart.spawn(path: launch.executable, errno: error.number)
        }
    }
}
