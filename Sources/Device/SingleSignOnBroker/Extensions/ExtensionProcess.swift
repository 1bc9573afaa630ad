import CLinux
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import NIOPosix
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// A running extension: its process, and the socket pair between it and the broker.
final class ExtensionProcess: ExtensionLink, Sendable {
    let processIdentifier: Int32
    private let channel: any Channel
    private let process: ProcessDescriptor
    private let end: End

    /// From being told to end until being killed.
    static let killDelay = TimeAmount.seconds(5)

    enum Event: Sendable {
        case report(ExtensionReport)
        /// It has sent something that is no message, or one that is too large.
        case nonsense(String)
        /// The socket has ended: the extension is gone, or has closed it.
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

    /// How the process ended, as soon as that is known.
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
    ///   - receive: called on the event loop.
    ///   - log: a line that the extension wrote.
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
        // Once they are the extension's alone, their end is its end.
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
            // What it has started, and left running, may have the pipe open for ever.
            channel.closeFuture.whenComplete { _ in
                loop.scheduleTask(in: killDelay + .seconds(1)) { written.close(promise: nil) }
            }
            return ExtensionProcess(processIdentifier: processIdentifier, process, end, channel: channel)
        } catch {
            _ = process.signal(SIGKILL)
            throw error
        }
    }

    /// A child that was just started, which nobody waits for anywhere else.
    private static func held(_ processIdentifier: Int32, _ end: End) throws(CannotStart) -> ProcessDescriptor {
        defer { ChildProgram.reap(processIdentifier) { words in end.words.withLockedValue { $0 = words } } }
        guard let process = ProcessDescriptor(processIdentifier) else {
            let reason = errno
            _ = Glibc.kill(processIdentifier, SIGKILL)
            throw .system("pidfd_open", errno: reason)
        }
        return process
    }

    /// In words: its exit status, or the signal. It follows upon the end of the socket, unless the process has only closed
    /// that: so nobody waits for it longer than a moment.
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

    /// Closes the socket, which a decent extension heeds, and tells it to end.
    func stop() {
        channel.close(promise: nil)
        _ = process.signal(SIGTERM)
        // It may be stopped, for a debugger.
        _ = process.signal(SIGCONT)
    }

    /// With what it has started itself.
    func kill() {
        channel.close(promise: nil)
        guard process.signal(SIGKILL) else { return }
        // It leads a group of its own, which is gone with the last of it.
        _ = Glibc.kill(-processIdentifier, SIGKILL)
    }

    /// Descriptor 3 is the socket, and no other is inherited; both outputs lead to the log.
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

/// Four bytes of length, then JSON.
private struct ReportDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    struct TooLarge: Error, CustomStringConvertible {
        let bytes: Int
        var description: String {
            "a message of \(bytes) bytes; at most \(ExtensionProtocol.messageBytesMax) are taken"
        }
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return .needMoreData }
        guard length <= ExtensionProtocol.messageBytesMax else { throw TooLarge(bytes: Int(length)) }
        guard buffer.readableBytes >= 4 + Int(length) else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 4)
        guard let message = buffer.readSlice(length: Int(length)) else { return .needMoreData }
        context.fireChannelRead(wrapInboundOut(message))
        return .continue
    }

    func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
        try decode(context: context, buffer: &buffer)
    }
}

private final class ReportHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let receive: @Sendable (ExtensionProcess.Event) -> Void
    private let decoder = JSONDecoder()

    init(_ receive: @escaping @Sendable (ExtensionProcess.Event) -> Void) {
        self.receive = receive
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var message = unwrapInboundIn(data)
        guard let bytes = message.readData(length: message.readableBytes),
            let report = try? decoder.decode(ExtensionReport.self, from: bytes)
        else {
            receive(.nonsense("a message that is none of the protocol's"))
            return
        }
        receive(.report(report))
    }

    /// An extension that does not read what it is told is not read either: what it would be told then has no end.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.channel.setOption(.autoRead, value: context.channel.isWritable).whenComplete { _ in }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? ReportDecoder.TooLarge { receive(.nonsense(error.description)) }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        receive(.ended)
    }
}

/// Lines of an extension's log, no more than a page of them in a second: an extension that floods it waits.
private final class ExtensionLogHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let bytesPerSecond = 16_384
    private static let lineMax = 1_000
    /// What each line has besides: time, level, whose it is.
    private static let lineOverhead = 100
    private let log: @Sendable (String) -> Void
    private var line: [UInt8] = []
    private var budget = bytesPerSecond
    private var refilledAt = NIODeadline.now()
    private var isPaused = false

    init(_ log: @escaping @Sendable (String) -> Void) {
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = NIODeadline.now()
        if now - refilledAt >= .seconds(1) { (budget, refilledAt) = (Self.bytesPerSecond, now) }
        for byte in unwrapInboundIn(data).readableBytesView {
            budget -= 1
            if byte == UInt8(ascii: "\n") {
                flush()
            } else if line.count < Self.lineMax {
                line.append(byte)
            }
        }
        guard budget < 0, !isPaused else { return }
        isPaused = true
        log("(it writes more than is kept: it waits)")
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenComplete { _ in }
        // Until what it has written too much is made up for.
        let wait = 1_000 - Int64(budget) * 1_000 / Int64(Self.bytesPerSecond)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(wait)) {
            self.budget = Self.bytesPerSecond
            self.isPaused = false
            channel.setOption(.autoRead, value: true).whenComplete { _ in }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { flush() }

    private func flush() {
        guard !line.isEmpty else { return }
        budget -= Self.lineOverhead
        log(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
    }
}
