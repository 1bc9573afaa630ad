/// One row of a roster file, as slices of the reader's buffer. It lives only while the closure that got it runs.
package struct RosterRow: ~Copyable {
    /// 1-based line on which the row begins.
    package let line: Int
    /// Whether an error was reported for one of its values, which may then break the rules of their columns. Such a row
    /// is passed on all the same, so that references to it are not reported as errors too.
    package let hasError: Bool

    let cells: UnsafeMutableBufferPointer<CSVCell>
    let layout: RosterLayout

    /// The value of the column; empty when the cell is blank or the file lacks the column.
    package subscript(column: RosterColumn) -> UnsafeBufferPointer<UInt8> {
        let position = layout.positions[column.rawValue]
        return position < 0 ? UnsafeBufferPointer(start: nil, count: 0) : cells[position].bytes
    }

    /// The values of the column and of its further ones (`location_id`, `location_id_2` …) that are not blank, in the
    /// order of their numbers.
    package func forEachValue(
        of column: RosterColumn, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) rethrows {
        for field in layout.fields where field.column == column && cells[field.position].count > 0 {
            try body(cells[field.position].bytes)
        }
    }
}

/// A header in the form used for each row: tables without reference counting, for speed.
struct RosterLayout {
    let fields: UnsafeMutableBufferPointer<RosterHeader.Field>
    /// By raw value of the column; −1 where the file lacks it.
    let positions: UnsafeMutableBufferPointer<Int>

    init(_ header: RosterHeader) {
        fields = .allocate(capacity: header.fields.count)
        _ = fields.initialize(from: header.fields)
        positions = .allocate(capacity: RosterColumn.allCases.count)
        positions.initialize(repeating: -1)
        for field in header.fields where field.number == 1 { positions[field.column.rawValue] = field.position }
    }

    func deallocate() {
        fields.deallocate()
        positions.deallocate()
    }
}
