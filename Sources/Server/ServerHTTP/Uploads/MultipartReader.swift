import Foundation
import Ground

/// Reads a body of type `multipart/form-data` (RFC 7578) as it arrives, whatever its pieces are. It holds back no more
/// than one piece, a boundary and the headers of a part.
///
/// It takes what browsers send and nothing else: a body without preamble or epilogue, with line ends of two bytes, and a
/// `Content-Disposition` with quoted values in each part.
struct MultipartReader {
    /// What was read.
    enum Event: Equatable {
        /// A part begins.
        /// - Parameter file: the name of the file; nil for a field that is none.
        case part(name: String, file: String?)
        case bytes(ArraySlice<UInt8>)
        case endOfPart
    }

    /// Why the body is not one that a browser sends. Each completes the sentence "The form …".
    struct Malformed: Error, Equatable {
        let reason: String

        static let boundary = Malformed(reason: "does not begin with its boundary")
        static let headers = Malformed(reason: "has a part whose headers cannot be read")
        static let longHeaders = Malformed(reason: "has a part whose headers are longer than \(headerBytesMax) bytes")
        static let parts = Malformed(reason: "has more than \(partsMax) parts")
        static let excess = Malformed(reason: "goes on after its end")
        static let incomplete = Malformed(reason: "stops in the middle")
    }

    private static let headerBytesMax = 8 << 10
    private static let partsMax = 100

    private enum State {
        /// Before the first boundary.
        case beginning
        /// After a boundary: a line end or two hyphens follow.
        case boundary
        case headers
        case content
        /// After the last boundary, where a line end may follow.
        case end
    }

    /// CRLF, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var state = State.beginning
    /// What was not read yet.
    private var rest: [UInt8] = []
    private var parts = 0

    /// - Parameter contentType: the header of the request.
    /// - Returns: nil if it is another type, or has no boundary of RFC 2046 §5.1.1.
    init?(contentType: String) {
        let fields = contentType.split(separator: ";", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard fields.count == 2, fields[0].lowercased() == "multipart/form-data",
            fields[1].lowercased().hasPrefix("boundary=")
        else { return nil }
        var boundary = Substring(fields[1].dropFirst("boundary=".count))
        if boundary.count > 1, boundary.hasPrefix("\""), boundary.hasSuffix("\"") {
            boundary = boundary.dropFirst().dropLast()
        }
        let others = Set("'()+_,-./:=?".utf8)
        guard (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ byte in
                byte.isDigit
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || others.contains(byte)
            })
        else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Whether the last boundary has come.
    var isComplete: Bool { state == .end }

    /// Takes the next piece of the body.
    /// - Throws: ``Malformed``
    mutating func read(_ piece: some Sequence<UInt8>) throws(Malformed) -> [Event] {
        rest += piece
        var events: [Event] = []
        var position = 0
        reading: while true {
            switch state {
            case .beginning:
                let first = delimiter.dropFirst(2)
                guard rest.count >= first.count else {
                    guard first.starts(with: rest) else { throw .boundary }
                    break reading
                }
                guard rest.starts(with: first) else { throw .boundary }
                position = first.count
                state = .boundary
            case .boundary:
                guard rest.count - position >= 2 else { break reading }
                switch (rest[position], rest[position + 1]) {
                case (UInt8(ascii: "\r"), UInt8(ascii: "\n")): state = .headers
                case (UInt8(ascii: "-"), UInt8(ascii: "-")): state = .end
                default: throw .boundary
                }
                position += 2
            case .headers:
                guard let end = Self.find(Array("\r\n\r\n".utf8), in: rest, from: position) else {
                    guard rest.count - position <= Self.headerBytesMax else { throw .longHeaders }
                    break reading
                }
                guard end - position <= Self.headerBytesMax else { throw .longHeaders }
                parts += 1
                guard parts <= Self.partsMax else { throw .parts }
                events.append(try Self.part(rest[position..<end]))
                position = end + 4
                state = .content
            case .content:
                guard let end = Self.find(delimiter, in: rest, from: position) else {
                    // What may be the beginning of a delimiter waits for what follows.
                    let safe = max(position, rest.count - delimiter.count + 1)
                    if safe > position { events.append(.bytes(rest[position..<safe])) }
                    position = safe
                    break reading
                }
                if end > position { events.append(.bytes(rest[position..<end])) }
                events.append(.endOfPart)
                position = end + delimiter.count
                state = .boundary
            case .end:
                guard rest.count - position <= 2, Array("\r\n".utf8).starts(with: rest[position...]) else {
                    throw .excess
                }
                break reading
            }
        }
        rest.removeFirst(position)
        return events
    }

    // MARK: Headers

    /// - Parameter header: the lines, without the end of the last one.
    private static func part(_ header: ArraySlice<UInt8>) throws(Malformed) -> Event {
        guard let text = String(validating: header, as: UTF8.self) else { throw .headers }
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
            guard let colon = line.firstIndex(of: ":") else { throw .headers }
            guard line[..<colon].lowercased() == "content-disposition" else { continue }
            let values = try values(of: line[line.index(after: colon)...])
            guard let name = values["name"] else { throw .headers }
            return .part(name: name, file: values["filename"])
        }
        throw .headers
    }

    /// `form-data; name="a"; filename="b"`. Browsers write a quote within a value as `%22` and line ends as `%0D%0A`
    /// (HTML §4.10.21.8), so that nothing is escaped by a backslash.
    private static func values(of header: Substring) throws(Malformed) -> [String: String] {
        var rest = header.drop { $0 == " " }
        guard rest.prefix(9).lowercased() == "form-data" else { throw .headers }
        rest = rest.dropFirst(9)
        var values: [String: String] = [:]
        while !rest.isEmpty {
            guard rest.first == ";" else { throw .headers }
            rest = rest.dropFirst().drop { $0 == " " }
            guard let equals = rest.firstIndex(of: "=") else { throw .headers }
            let name = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\""), values[name] == nil else {
                throw .headers
            }
            values[name] = String(rest[rest.index(after: rest.startIndex)..<end]).replacing("%22", with: "\"")
            rest = rest[rest.index(after: end)...]
        }
        return values
    }

    /// The first place of `needle`.
    private static func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            needle.withUnsafeBytes { needle in
                guard let base = bytes.baseAddress, let wanted = needle.baseAddress else { return nil }
                var position = start
                while bytes.count - position >= needle.count {
                    // `memchr` looks at many bytes at a time, and the first byte is a rare one.
                    guard
                        let found = memchr(
                            base + position, Int32(needle[0]), bytes.count - position - needle.count + 1)
                    else { return nil }
                    position = UnsafeRawPointer(found) - base
                    if memcmp(found, wanted, needle.count) == 0 { return position }
                    position += 1
                }
                return nil
            }
        }
    }
}
