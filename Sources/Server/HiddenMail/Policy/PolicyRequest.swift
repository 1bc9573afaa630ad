import NIOCore

/// What Postfix tells about a mail before accepting it: lines `name=value`, followed by an empty one.
/// https://www.postfix.org/SMTPD_POLICY_README.html
struct PolicyRequest: Equatable, Sendable {
    let attributes: [String: String]

    /// The envelope sender, empty for a bounce.
    var sender: String { attributes["sender"] ?? "" }
    var recipient: String { attributes["recipient"] ?? "" }
    var state: String { attributes["protocol_state"] ?? "" }
}

struct PolicyRequestDecoder: NIOSingleStepByteToMessageDecoder, Sendable {
    typealias InboundOut = PolicyRequest

    /// Maximum size of a request.
    static let bytesMax = 16 * 1_024

    struct Malformed: Error {}

    func decode(buffer: inout ByteBuffer) throws -> PolicyRequest? {
        let newline = UInt8(ascii: "\n")
        let bytes = buffer.readableBytesView
        if bytes.first == newline { throw Malformed() }
        var previous: UInt8 = 0
        var end: Int?
        for index in bytes.indices {
            if bytes[index] == newline, previous == newline {
                end = index
                break
            }
            previous = bytes[index]
        }
        guard let end else {
            guard bytes.count < Self.bytesMax else { throw Malformed() }
            return nil
        }
        let request = try Self.parse(bytes[bytes.startIndex..<end])
        buffer.moveReaderIndex(to: end + 1)
        return request
    }

    private static func parse(_ bytes: ByteBufferView) throws -> PolicyRequest {
        guard bytes.count < bytesMax else { throw Malformed() }
        var attributes: [String: String] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex else {
                throw Malformed()
            }
            let name = String(decoding: line[..<equals], as: UTF8.self)
            // A name that appears twice is ambiguous.
            guard
                attributes.updateValue(
                    String(decoding: line[line.index(after: equals)...], as: UTF8.self), forKey: name) == nil
            else { throw Malformed() }
        }
        guard attributes["request"] == "smtpd_access_policy" else { throw Malformed() }
        return PolicyRequest(attributes: attributes)
    }

    func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> PolicyRequest? {
        buffer.readableBytes == 0 ? nil : try decode(buffer: &buffer)
    }
}
