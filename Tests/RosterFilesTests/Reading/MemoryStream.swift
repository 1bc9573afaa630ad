@testable import RosterFiles

/// Bytes in memory, handed out in pieces of a chosen size.
final class MemoryStream: ByteStream {
    private let bytes: [UInt8]
    private let pieceBytes: Int
    private var position = 0

    init(_ bytes: some Sequence<UInt8>, pieceBytes: Int = .max) {
        self.bytes = Array(bytes)
        self.pieceBytes = pieceBytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = min(buffer.count, bytes.count - position, pieceBytes)
        buffer.copyBytes(from: bytes[position..<position + count])
        position += count
        return count
    }
}

/// What came of reading a file.
struct Reading {
    /// Line, then the values of the template's columns.
    var rows: [[String]] = []
    var summary = RosterFileReader.Summary()
    let log = DefectLog()

    init(_ bytes: some Sequence<UInt8>, as file: RosterFile, pieceBytes: Int = .max) throws {
        var rows: [[String]] = []
        var reader = RosterFileReader(file, from: MemoryStream(bytes, pieceBytes: pieceBytes), defects: log)
        summary = try reader.forEachRow { row in
            var values = [String(row.line)]
            for column in file.columns { values.append(String(decoding: row[column], as: UTF8.self)) }
            rows.append(values)
        }
        self.rows = rows
    }

    init(_ text: String, as file: RosterFile) throws {
        try self.init(text.utf8, as: file)
    }

    /// Defects as `line column code`, which tests compare; the texts may change.
    var found: [String] {
        log.kept.map { "\($0.line.map(String.init) ?? "-") \($0.column ?? "-") \($0.code.rawValue)" }
    }
}

/// All rows of a CSV text, and the line on which each begins.
func csvRows(
    _ bytes: some Sequence<UInt8>, separator: UInt8 = UInt8(ascii: ","), windowBytes: Int = 256 * 1_024
) throws -> [(line: Int, values: [[UInt8]])] {
    var reader = CSVReader(MemoryStream(bytes), windowBytes: windowBytes)
    reader.separate(by: separator)
    var rows: [(line: Int, values: [[UInt8]])] = []
    while true {
        switch try reader.next() {
        case .row: rows.append((reader.line, reader.cells.map { Array($0.bytes) }))
        case .rowTooLong, .unbalancedQuote: rows.append((reader.line, []))
        case .tooManyBlankLines, .end: return rows
        }
    }
}
