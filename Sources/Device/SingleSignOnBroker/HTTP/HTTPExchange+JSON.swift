import Ground
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

extension HTTPExchange {
    func json(_ value: some Encodable) {
        answer(.ok, Self.encoded(value))
    }

    func fail(_ status: HTTPResponseStatus, _ message: String) {
        answer(status, Self.encoded(["error": message]))
    }

    func line(_ value: some Encodable) {
        line(Self.encoded(value))
    }

    func lastLine(_ value: some Encodable) {
        lastLine(Self.encoded(value))
    }

    /// Writes several lines at once.
    func lines(_ values: [some Encodable]) {
        var buffer = ByteBuffer()
        for value in values { buffer.writeImmutableBuffer(Self.encoded(value)) }
        line(buffer)
    }

    /// For endless streams: a client that does not keep up is disconnected, and nothing is kept for it.
    func lineUnlessSlow(_ bytes: ByteBuffer) {
        guard channel.isWritable else { return channel.close(promise: nil) }
        line(bytes)
    }

    /// JSON in one line with a line end. So a complete answer and a line of a stream can be read by the same reader.
    static func encoded(_ value: some Encodable) -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .withoutEscapingSlashes
        var buffer = ByteBuffer()
        if let data = try? encoder.encode(value) { buffer.writeBytes(data) }
        buffer.writeInteger(UInt8(ascii: "\n"))
        return buffer
    }
}
