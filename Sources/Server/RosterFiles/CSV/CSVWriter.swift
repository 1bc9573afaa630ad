/// Writes rows of comma-separated values that ``CSVReader`` reads back byte for byte: LF, and straight quotes around a
/// value only where it needs them. Inside quotes a backslash stands before each quote, backslash and line break.
///
/// Spreadsheets know no backslashes: to them the quote after one ends the value, and what follows is another cell. So
/// files for them have each quote doubled (RFC 4180 §2), which ``CSVReader`` knows too. Backslashes are doubled there
/// as well, since the reader would take one before a quote for an escape.
package struct CSVWriter {
    private static let chunkBytes = 64 * 1_024

    private var chunk: [UInt8] = []
    private var isAtRowStart = true
    private let separator: UInt8
    private let isForSpreadsheet: Bool
    private let sink: (UnsafeRawBufferPointer) throws -> Void

    /// - Parameters:
    ///   - isForSpreadsheet: doubles quotes, and puts an apostrophe before values that a spreadsheet would execute as a
    ///     formula: see ``SpreadsheetText``. Such files are for people to look at, not for another import.
    ///   - sink: takes the bytes in chunks; ``finish()`` hands over the last.
    package init(
        separator: UInt8 = UInt8(ascii: ","), isForSpreadsheet: Bool = false,
        sink: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.separator = separator
        self.isForSpreadsheet = isForSpreadsheet
        self.sink = sink
        chunk.reserveCapacity(Self.chunkBytes + 1_024)
    }

    package mutating func append(_ value: String) {
        var value = isForSpreadsheet ? SpreadsheetText.literal(value) : value
        value.withUTF8 { append($0) }
    }

    package mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
        if !isAtRowStart { chunk.append(separator) }
        isAtRowStart = false
        guard Self.needsQuotes(value) else {
            chunk.append(contentsOf: value)
            return
        }
        chunk.append(.quote)
        for byte in value {
            if isForSpreadsheet {
                if byte == .quote || byte == .backslash { chunk.append(byte) }
            } else if byte.isMadeLiteral {
                chunk.append(.backslash)
            }
            chunk.append(byte)
        }
        chunk.append(.quote)
    }

    package mutating func endRow() throws {
        // A row of one empty value would be a blank line, which readers pass over.
        if chunk.isEmpty || chunk.last == .lineFeed { chunk.append(contentsOf: [.quote, .quote]) }
        chunk.append(.lineFeed)
        isAtRowStart = true
        if chunk.count >= Self.chunkBytes { try finish() }
    }

    /// Passes the remaining bytes to the sink.
    package mutating func finish() throws {
        try chunk.withUnsafeBytes(sink)
        chunk.removeAll(keepingCapacity: true)
    }

    private static func needsQuotes(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        for byte in value {
            switch byte {
            case .space, .tab, .comma, .semicolon, .quote, .backslash, .lineFeed, .carriageReturn: return true
            default: break
            }
        }
        return CurlyQuotes.begin(value)
    }
}
