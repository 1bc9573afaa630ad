/// Finds the cells of one row in a stretch of bytes. ``CSVReader`` describes the language.
///
/// When the stretch ends inside the row the scan starts again once more bytes are there: it keeps no state between
/// calls and changes no byte before the row is known to be whole.
struct RowScanner: ~Copyable {
    /// More cells than this are counted and not kept.
    static let cellsMax = 2_048

    typealias Pointer = UnsafeMutablePointer<UInt8>

    /// A place inside the row: where, and how many line breaks lie between the row's beginning and it.
    struct Place {
        let pointer: Pointer
        let lineBreaks: Int
    }

    enum Result {
        /// `next` is the beginning of the next row.
        case complete(next: Place)
        /// The stretch ends inside the row; `openQuote` is the quote open there, if its value has passed a line break.
        case incomplete(openQuote: Place?)
        /// Nothing closes the quote. The last cell is the one that it opens.
        case unbalancedQuote(Place)
        /// There is no further row.
        case end
    }

    /// The scan's position.
    struct Cursor {
        var at: Pointer
        var lineBreaks = 0
        /// One past the last byte.
        let end: Pointer
        /// Whether the file ends at `end`.
        let isLast: Bool

        mutating func skipBlanks() {
            while at.pointee.isBlank { at += 1 }
        }
    }

    private(set) var cellCount = 0
    /// What was noticed in any cell of the row.
    private(set) var traits: CSVCell.Traits = []
    /// Whether CR without LF has ended a row so far.
    private(set) var sawBareCarriageReturn = false

    let unquotedClasses: UnsafeMutablePointer<ByteClass>
    let quotedClasses = ByteClass.table(separator: nil)
    private let storage = UnsafeMutablePointer<CSVCell>.allocate(capacity: cellsMax)

    init(separator: UInt8) {
        unquotedClasses = ByteClass.table(separator: separator)
    }

    deinit {
        unquotedClasses.deallocate()
        quotedClasses.deallocate()
        storage.deallocate()
    }

    var cells: UnsafeMutableBufferPointer<CSVCell> {
        UnsafeMutableBufferPointer(start: storage, count: min(cellCount, Self.cellsMax))
    }

    /// - Parameters:
    ///   - end: one past the last byte; the byte there is overwritten during the scan.
    ///   - isLast: whether the file ends at `end`.
    mutating func scan(from start: Pointer, to end: Pointer, isLast: Bool) -> Result {
        cellCount = 0
        traits = []
        if start == end { return isLast ? .end : .incomplete(openQuote: nil) }
        let byteAtEnd = end.pointee
        end.pointee = .lineFeed  // a sentinel, so that the loops need not look for the end at each byte
        defer { end.pointee = byteAtEnd }
        var cursor = Cursor(at: start, end: end, isLast: isLast)
        while true {
            var cell = CSVCell(start: cursor.at, count: 0, traits: [])
            if cursor.at.pointee.isBlank {
                cell.traits = .leadingSpace
                cursor.skipBlanks()
                cell.start = cursor.at
            }
            let quote = Place(pointer: cursor.at, lineBreaks: cursor.lineBreaks)
            let finish =
                cursor.at.pointee == .quote
                ? scanQuotedCell(&cell, &cursor) : scanUnquotedCell(&cell, &cursor)
            append(cell)
            switch finish {
            case .separator: continue
            case .rowEnd: return .complete(next: Place(pointer: cursor.at, lineBreaks: cursor.lineBreaks))
            case .bareCarriageReturn:
                sawBareCarriageReturn = true
                return .complete(next: Place(pointer: cursor.at, lineBreaks: cursor.lineBreaks))
            case .stretchEnd: return .incomplete(openQuote: cursor.lineBreaks > quote.lineBreaks ? quote : nil)
            case .unbalancedQuote: return .unbalancedQuote(quote)
            }
        }
    }

    private mutating func append(_ cell: CSVCell) {
        if cellCount < Self.cellsMax { (storage + cellCount).initialize(to: cell) }
        cellCount += 1
        traits.formUnion(cell.traits)
    }
}
