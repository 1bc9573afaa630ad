import Storage

/// Collects rows for a staging table and hands them over in batches.
///
/// Needed because one row of a file can go into two tables, and a connection can copy rows into only one table at a
/// time.
struct StagingBuffer {
    private enum Value {
        case null
        case integer(Int)
        case text(bytes: Int)
    }

    private static let bytesMax = 256 * 1_024
    private static let valuesMax = 32 * 1_024

    private let table: String
    private let columns: [String]
    private var values: [Value] = []
    private var text: [UInt8] = []

    init(_ table: String, _ columns: [String]) {
        self.table = table
        self.columns = columns
    }

    mutating func append(_ value: Int) { values.append(.integer(value)) }

    mutating func append(_ value: StagedText) {
        switch value {
        case .none: values.append(.null)
        case .bytes(let bytes):
            values.append(.text(bytes: bytes.count))
            text.append(contentsOf: bytes)
        case .string(let string):
            values.append(.text(bytes: string.utf8.count))
            text.append(contentsOf: string.utf8)
        }
    }

    /// Ends a row, and writes the buffer to the table when it is full.
    mutating func endRow(to session: DatabaseSession) throws {
        if text.count >= Self.bytesMax || values.count >= Self.valuesMax { try flush(to: session) }
    }

    mutating func flush(to session: DatabaseSession) throws {
        guard !values.isEmpty else { return }
        try session.bulkInsert(into: table, columns: columns) { writer in
            try text.withUnsafeBufferPointer { text in
                var position = 0
                var column = 0
                for value in values {
                    switch value {
                    case .null: try writer.appendNull()
                    case .integer(let integer): try writer.append(integer)
                    case .text(let bytes):
                        try writer.append(UnsafeBufferPointer(rebasing: text[position..<position + bytes]))
                        position += bytes
                    }
                    column += 1
                    if column == columns.count {
                        try writer.endRow()
                        column = 0
                    }
                }
            }
        }
        values.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
    }
}
