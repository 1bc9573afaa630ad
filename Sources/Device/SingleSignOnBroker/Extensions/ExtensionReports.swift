import NIOCore
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Reads frames: a length of four bytes, big-endian, then that many bytes of JSON.
struct ReportDecoder: ByteToMessageDecoder {
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

/// Decodes an extension's messages, and passes them on as events.
final class ReportHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let receive: @Sendable (ExtensionProcess.Event) -> Void
    private let decoder = JSONDecoder()

    init(_ receive: @escaping @Sendable (ExtensionProcess.Event) -> Void) {
        self.receive = receive
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let message = Data(unwrapInboundIn(data).readableBytesView)
        guard let report = try? decoder.decode(ExtensionReport.self, from: message) else {
            receive(.nonsense("a message that is none of the protocol's"))
            return
        }
        receive(.report(report))
    }

    /// Stops reading from an extension that does not read. Otherwise its messages would cause answers that pile up
    /// here.
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
