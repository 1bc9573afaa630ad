import Ground
import NIOCore

/// Strings preceded by their length: `5:hello,`. https://cr.yp.to/proto/netstrings.txt
struct NetstringDecoder: NIOSingleStepByteToMessageDecoder, Sendable {
    typealias InboundOut = String

    /// Maximum length of the string.
    let bytesMax: Int

    struct Malformed: Error {}

    func decode(buffer: inout ByteBuffer) throws -> String? {
        let head = buffer.readableBytesView.prefix(8)
        guard let colon = head.firstIndex(of: UInt8(ascii: ":")) else {
            // As long as only digits have arrived, the length may still follow.
            guard head.count < 8, head.allSatisfy(\.isDigit) else { throw Malformed() }
            return nil
        }
        let digits = head[..<colon]
        guard digits.allSatisfy(\.isDigit), let length = Int(String(decoding: digits, as: UTF8.self)),
            digits.count == 1 || digits.first != UInt8(ascii: "0"), length <= bytesMax
        else { throw Malformed() }
        let start = colon - buffer.readerIndex + 1
        guard buffer.readableBytes >= start + length + 1 else { return nil }
        buffer.moveReaderIndex(forwardBy: start)
        let text = buffer.readString(length: length) ?? ""
        guard buffer.readInteger(as: UInt8.self) == UInt8(ascii: ",") else { throw Malformed() }
        return text
    }

    func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> String? {
        buffer.readableBytes == 0 ? nil : try decode(buffer: &buffer)
    }
}

extension ByteBuffer {
    init(netstring text: String) { self.init(string: "\(text.utf8.count):\(text),") }
}
