/// Reads rows of comma- or semicolon-separated values without copying them.
///
/// A value may be enclosed in straight double quotes, and then contain separators and line breaks. Inside and outside
/// of quotes a backslash makes a following quote, line break or backslash literal (Apple's rule); before any other
/// character it is an ordinary character; inside quotes a doubled quote is a quote too (RFC 4180 §2). Rows end with LF,
/// CR LF or, noted as wrong, CR alone. This type knows the form of rows only; ``RosterFileReader`` knows what they
/// should hold.
struct CSVReader: ~Copyable {
    static let rowBytesMax = 1 << 20
    /// A spreadsheet has fewer rows than this. Without a limit, an archive of a few kilobytes could keep the reader
    /// busy for hours.
    static let blankLinesMax = 1_100_000

    enum Outcome {
        /// The cells are valid until the next call.
        case row
        /// The row is longer than ``rowBytesMax``; reading goes on after the next line break.
        case rowTooLong
        /// The last of the cells opens a quote, on ``line``, that nothing closes; reading goes on with the next line.
        case unbalancedQuote
        /// More than ``blankLinesMax`` lines hold nothing; nothing further is read.
        case tooManyBlankLines
        case end
    }

    private var blankLines = 0

    /// 1-based line on which the row last read begins.
    private(set) var line = 0
    private(set) var separator: UInt8 = .comma

    private var nextLine = 1
    private var window: ByteWindow
    private var scanner = RowScanner(separator: .comma)

    /// - Parameters:
    ///   - windowBytes: how much is read at a time, at first.
    ///   - onBytes: sees each byte of the file once, in order, as it is read.
    init(
        _ source: any ByteStream, windowBytes: Int = 256 * 1_024,
        onBytes: @escaping (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) {
        window = ByteWindow(source, capacity: windowBytes, onBytes: onBytes)
    }

    /// The cells of the row last read, at most ``RowScanner/cellsMax`` of them.
    var cells: UnsafeMutableBufferPointer<CSVCell> { scanner.cells }
    /// All cells of the row, kept or not.
    var cellCount: Int { scanner.cellCount }
    /// What was noticed in any cell of the row.
    var traits: CSVCell.Traits { scanner.traits }
    /// Whether CR without LF has ended a row so far.
    var sawBareCarriageReturn: Bool { scanner.sawBareCarriageReturn }

    mutating func separate(by separator: UInt8) {
        self.separator = separator
        scanner = RowScanner(separator: separator)
    }

    /// The next unread bytes, without consuming them: a full window, or everything up to the end of the file.
    mutating func peek() throws -> UnsafeBufferPointer<UInt8> {
        if window.count == 0, !window.reachesEnd { try window.extend() }
        return UnsafeBufferPointer(start: window.start, count: window.count)
    }

    /// Consumes bytes that ``peek()`` returned.
    mutating func skip(_ count: Int) {
        window.consume(upTo: window.start + count)
    }

    /// Reads the next row; blank lines are skipped.
    mutating func next() throws -> Outcome {
        while true {
            let count = min(window.count, Self.rowBytesMax)
            let isLast = window.reachesEnd && count == window.count
            switch scanner.scan(from: window.start, to: window.start + count, isLast: isLast) {
            case .complete(let next):
                line = nextLine
                nextLine += next.lineBreaks
                window.consume(upTo: next.pointer)
                if isBlankLine {
                    blankLines += 1
                    if blankLines > Self.blankLinesMax { return .tooManyBlankLines }
                    continue
                }
                if scanner.traits.contains(.escaped) {
                    let cells = scanner.cells
                    for index in cells.indices { cells[index].removeEscapes() }
                }
                return .row
            case .incomplete(let openQuote):
                if count < Self.rowBytesMax {
                    try window.extend()
                } else if let openQuote {
                    return resume(after: openQuote)
                } else {
                    line = nextLine
                    try skipLine()
                    return .rowTooLong
                }
            case .unbalancedQuote(let quote):
                return resume(after: quote)
            case .end:
                return .end
            }
        }
    }

    private var isBlankLine: Bool {
        scanner.cellCount == 1 && scanner.cells[0].count == 0 && !scanner.cells[0].traits.contains(.quoted)
    }

    /// Continues on the line after the one with the unbalanced quote.
    private mutating func resume(after quote: RowScanner.Place) -> Outcome {
        line = nextLine + quote.lineBreaks
        nextLine = line + 1
        var next = quote.pointer
        while next < window.end, next.pointee != .lineFeed { next += 1 }
        window.consume(upTo: min(next + 1, window.end))
        return .unbalancedQuote
    }

    private mutating func skipLine() throws {
        nextLine += 1
        while true {
            var next = window.start
            while next < window.end, next.pointee != .lineFeed { next += 1 }
            if next < window.end {
                window.consume(upTo: next + 1)
                return
            }
            window.consume(upTo: window.end)
            if window.reachesEnd { return }
            try window.extend()
        }
    }
}
