import NIOCore

/// Takes lines for the log from an extension's outputs. After 16 KiB in a second the pipe is not read for a while, so
/// that an extension that writes too much waits.
final class ExtensionLogHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let bytesPerSecond = 16_384
    private static let lineMax = 1_000
    /// The bytes that the log adds to each line: time, level, the extension's identifier.
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
        // One second, and longer the more it has exceeded the limit.
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
