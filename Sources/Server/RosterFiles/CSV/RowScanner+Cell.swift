extension RowScanner {
    /// How a cell ended. The cursor is after the separator or line break that ended it.
    enum Finish {
        case separator
        case rowEnd
        /// The row ended with CR alone.
        case bareCarriageReturn
        /// More bytes are needed to tell.
        case stretchEnd
        case unbalancedQuote
    }

    /// Scans to the end of the cell. The cursor must be at its first character that is not a blank.
    func scanUnquotedCell(_ cell: inout CSVCell, _ cursor: inout Cursor) -> Finish {
        while true {
            switch unquotedClasses[Int(cursor.at.pointee)] {
            case .ordinary: cursor.at += 1
            case .nonASCII:
                cell.traits.insert(.nonASCII)
                cursor.at += 1
            case .control:
                cell.traits.insert(.controlCharacter)
                cursor.at += 1
            case .quote:
                cell.traits.insert(.strayQuote)
                cursor.at += 1
            case .backslash: takeBackslash(&cell, &cursor)
            case .separator, .lineFeed, .carriageReturn:
                let valueEnd = cursor.at
                cell.count = valueEnd - cell.start
                while cell.count > 0, cell.start[cell.count - 1].isBlank {
                    cell.count -= 1
                    cell.traits.insert(.trailingSpace)
                }
                return takeCellEnd(&cursor)
            }
        }
    }

    /// Scans to the end of the cell. The cursor must be at the opening quote.
    func scanQuotedCell(_ cell: inout CSVCell, _ cursor: inout Cursor) -> Finish {
        let opening = cursor
        cell.traits.insert(.quoted)
        cursor.at += 1
        cell.start = cursor.at
        while true {
            switch quotedClasses[Int(cursor.at.pointee)] {
            case .ordinary, .separator, .carriageReturn: cursor.at += 1
            case .nonASCII:
                cell.traits.insert(.nonASCII)
                cursor.at += 1
            case .control:
                cell.traits.insert(.controlCharacter)
                cursor.at += 1
            case .lineFeed:
                if cursor.at == cursor.end {
                    cell.count = cursor.at - cell.start
                    return cursor.isLast ? .unbalancedQuote : .stretchEnd
                }
                cursor.lineBreaks += 1
                cursor.at += 1
            case .backslash: takeBackslash(&cell, &cursor)
            case .quote:
                // At the end of the stretch this reads the sentinel, which is no quote; `takeCellEnd` then asks for
                // more bytes.
                if cursor.at[1] == .quote {
                    cell.traits.insert(.escaped)
                    cursor.at += 2
                    continue
                }
                cell.count = cursor.at - cell.start
                cursor.at += 1
                return finishQuotedCell(&cell, &cursor, opening: opening)
            }
        }
    }

    /// Continues after the closing quote, where only blanks are allowed.
    private func finishQuotedCell(_ cell: inout CSVCell, _ cursor: inout Cursor, opening: Cursor) -> Finish {
        if cursor.at.pointee.isBlank {
            cell.traits.insert(.trailingSpace)
            cursor.skipBlanks()
        }
        switch unquotedClasses[Int(cursor.at.pointee)] {
        case .separator, .lineFeed, .carriageReturn: return takeCellEnd(&cursor)
        default:
            // There is text after a closing quote. If the value contains line breaks, its own closing quote is probably
            // missing and this one belongs to another value. Otherwise the inner quotes lack their escape, and the cell
            // ends at the next separator.
            if cursor.lineBreaks > opening.lineBreaks { return .unbalancedQuote }
            cell.traits.subtract([.escaped, .trailingSpace])
            cell.traits.insert(.strayQuote)
            return scanUnquotedCell(&cell, &cursor)
        }
    }

    /// Consumes a separator or the end of a row.
    private func takeCellEnd(_ cursor: inout Cursor) -> Finish {
        switch cursor.at.pointee {
        case .lineFeed where cursor.at == cursor.end:
            return cursor.isLast ? .rowEnd : .stretchEnd
        case .lineFeed:
            cursor.at += 1
            cursor.lineBreaks += 1
            return .rowEnd
        case .carriageReturn:
            if cursor.at + 1 == cursor.end, !cursor.isLast { return .stretchEnd }
            let isBare = cursor.at + 1 == cursor.end || cursor.at[1] != .lineFeed
            cursor.at += isBare ? 1 : 2
            cursor.lineBreaks += 1
            return isBare ? .bareCarriageReturn : .rowEnd
        default:
            cursor.at += 1
            return .separator
        }
    }

    /// Consumes a backslash and the character that it makes literal. If the stretch ends in between, the cursor is left
    /// at the end, where the scan of the cell asks for more bytes.
    private func takeBackslash(_ cell: inout CSVCell, _ cursor: inout Cursor) {
        cursor.at += 1
        guard cursor.at != cursor.end, cursor.at.pointee.isMadeLiteral else { return }
        cell.traits.insert(.escaped)
        let isCarriageReturn = cursor.at.pointee == .carriageReturn
        if cursor.at.pointee == .lineFeed { cursor.lineBreaks += 1 }
        cursor.at += 1
        // CR LF is one line break, and one backslash is enough for it.
        if isCarriageReturn, cursor.at != cursor.end, cursor.at.pointee == .lineFeed {
            cursor.at += 1
            cursor.lineBreaks += 1
        }
    }
}
