import NIOCore

/// One command of the mail server in the milter protocol: a length, a letter, and data.
///
/// The protocol is that of Sendmail's libmilter, as Postfix speaks it (MILTER_README). libmilter itself is not used,
/// because it needs a process of its own: it takes over the signals and can run only once.
struct MilterPacket: Equatable, Sendable {
    let command: UInt8
    let data: ByteBuffer

    /// The NUL-terminated texts in the data.
    var texts: [String] {
        get throws {
            var bytes = data.readableBytesView
            guard bytes.last == 0 || bytes.isEmpty else { throw MilterPacketDecoder.Malformed() }
            bytes = bytes.dropLast()
            return data.readableBytes == 0
                ? []
                : bytes.split(separator: 0, omittingEmptySubsequences: false).map {
                    String(decoding: $0, as: UTF8.self)
                }
        }
    }
}

struct MilterPacketDecoder: NIOSingleStepByteToMessageDecoder, Sendable {
    typealias InboundOut = MilterPacket

    /// Maximum size of a packet. Postfix truncates a header at 100 kB.
    static let bytesMax = 256 * 1_024

    struct Malformed: Error {}

    func decode(buffer: inout ByteBuffer) throws -> MilterPacket? {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return nil }
        guard (1...UInt32(Self.bytesMax)).contains(length) else { throw Malformed() }
        guard buffer.readableBytes >= 4 + Int(length) else { return nil }
        buffer.moveReaderIndex(forwardBy: 4)
        guard let command = buffer.readInteger(as: UInt8.self), let data = buffer.readSlice(length: Int(length) - 1)
        else { throw Malformed() }
        return MilterPacket(command: command, data: data)
    }

    func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> MilterPacket? {
        buffer.readableBytes == 0 ? nil : try decode(buffer: &buffer)
    }
}

/// An answer to the mail server.
enum MilterAnswer: Equatable, Sendable {
    case negotiate(version: UInt32, actions: UInt32, steps: UInt32)
    case proceed
    /// Accept the message; its remaining commands need no answer.
    case accept
    /// A status and words, such as `550 5.1.1 …`.
    case reply(String)
    case changeSender(String)
    /// - value: empty to delete the header.
    case changeHeader(name: String, index: UInt32, value: String)
    case addHeader(name: String, value: String)

    var packet: ByteBuffer {
        var data = ByteBuffer()
        switch self {
        case .negotiate(let version, let actions, let steps):
            data.writeString("O")
            data.writeMultipleIntegers(version, actions, steps)
        case .proceed: data.writeString("c")
        case .accept: data.writeString("a")
        case .reply(let text): data.writeString("y\(Self.clean(text))\0")
        case .changeSender(let address): data.writeString("e<\(Self.clean(address))>\0")
        case .changeHeader(let name, let index, let value):
            data.writeString("m")
            data.writeInteger(index)
            data.writeString("\(Self.clean(name))\0\(Self.folded(value))\0")
        case .addHeader(let name, let value): data.writeString("h\(Self.clean(name))\0\(Self.folded(value))\0")
        }
        var packet = ByteBuffer(integer: UInt32(data.readableBytes))
        packet.writeBuffer(&data)
        return packet
    }

    private static func clean(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
    }

    /// Keeps only line breaks that are followed by a blank, and writes them as the protocol wants them.
    private static func folded(_ text: String) -> String {
        text.replacing("\r\n ", with: "\n ").split(separator: "\n ", omittingEmptySubsequences: false)
            .map { clean(String($0)) }.joined(separator: "\n ")
    }
}
