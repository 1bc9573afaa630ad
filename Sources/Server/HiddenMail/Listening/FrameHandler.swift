import NIOCore

/// Splits the incoming bytes into frames, and closes connections that send too much at once, too slowly, or nothing for
/// a long time.
final class FrameHandler<Decoder: NIOSingleStepByteToMessageDecoder>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Decoder.InboundOut

    struct Limits: Sendable {
        /// Maximum size of an incomplete frame.
        var bytesMax: Int
        /// Time limit from the first byte of a frame to its last.
        var frameTime: TimeAmount = .seconds(10)
        /// Time limit between frames, since mail servers keep connections open.
        var idleTime: TimeAmount
    }

    private let processor: NIOSingleStepByteToMessageProcessor<Decoder>
    private let limits: Limits
    private var deadline: Scheduled<Void>?
    private var isWaitingForRest = false

    init(_ decoder: Decoder, limits: Limits) {
        processor = NIOSingleStepByteToMessageProcessor(decoder, maximumBufferSize: limits.bytesMax)
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        close(context, after: limits.idleTime)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var hasFrame = false
        do {
            try processor.process(buffer: unwrapInboundIn(data)) { frame in
                hasFrame = true
                context.fireChannelRead(wrapInboundOut(frame))
            }
        } catch {
            context.fireErrorCaught(error)
            context.close(promise: nil)
            return
        }
        let isIncomplete = processor.unprocessedBytes > 0
        // Further bytes of the same frame do not extend its time limit.
        guard hasFrame || isIncomplete != isWaitingForRest else { return }
        isWaitingForRest = isIncomplete
        close(context, after: isIncomplete ? limits.frameTime : limits.idleTime)
    }

    private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}
