import NIOCore

/// Cuts bytes into lines, and keeps the last one until its end has arrived.
struct LineBuffer {
    let bytesMax: Int
    private var pending = ByteBuffer()

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Adds bytes, and returns the lines that are now complete, without their line breaks; empty lines are left out.
    /// - Throws: ``BrokerAnswerUnreadable`` if a line is longer than ``bytesMax``.
    mutating func add(_ chunk: ByteBuffer) throws -> [ByteBuffer] {
        var searched = pending.readableBytes
        pending.writeImmutableBuffer(chunk)
        var lines: [ByteBuffer] = []
        while let end = pending.readableBytesView.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
            let length = end - pending.readerIndex
            guard length <= bytesMax else { throw Self.tooLong(bytesMax) }
            if let line = pending.readSlice(length: length), length > 0 { lines.append(line) }
            pending.moveReaderIndex(forwardBy: 1)
            searched = 0
        }
        guard pending.readableBytes <= bytesMax else { throw Self.tooLong(bytesMax) }
        pending.discardReadBytes()
        return lines
    }

    /// The bytes after the last line break; nil if there are none.
    var rest: ByteBuffer? { pending.readableBytes > 0 ? pending : nil }

    private static func tooLong(_ bytesMax: Int) -> BrokerAnswerUnreadable {
        BrokerAnswerUnreadable(reason: "A line of it has more than \(bytesMax) bytes.")
    }
}
