import Directory
import Foundation

/// A CSV file with the columns `type`, `old_id` and `new_id`: which records get which ids. Further columns are for the
/// people who check it. A row without a new id moves nothing.
package struct IDMapFile: Sendable {
    package struct Row: Equatable, Sendable {
        /// 1-based.
        package let line: Int
        package let move: IDMove
    }

    package struct Problem: Codable, Equatable, Sendable {
        package let line: Int
        package let message: String

        package init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// Thrown with everything that is wrong with a file.
    package struct Problems: Error {
        package let problems: [Problem]

        package init(problems: [Problem]) { self.problems = problems }
    }

    package private(set) var rows: [Row] = []
    /// How many rows have no new id.
    package private(set) var withoutNewID = 0

    static let columns = ["type", "old_id", "new_id"]

    /// - Throws: ``Problems``; what `stream` throws
    init(reading stream: any ByteStream) throws {
        var reader = CSVReader(stream)
        var problems: [Problem] = []
        let places = try Self.places(in: &reader)
        reading: while true {
            switch try reader.next() {
            case .row:
                do throws(Wrong) {
                    try append(Self.texts(reader.cells), places, reader.line)
                } catch {
                    problems.append(Problem(line: reader.line, message: error.message))
                }
            case .rowTooLong: problems.append(Problem(line: reader.line, message: "The line is too long."))
            case .unbalancedQuote: problems.append(Problem(line: reader.line, message: "A quote is not closed."))
            case .tooManyBlankLines:
                problems.append(Problem(line: reader.line, message: "Too many lines hold nothing."))
                break reading
            case .end: break reading
            }
        }
        if problems.isEmpty, rows.isEmpty {
            problems.append(Problem(line: 1, message: "No row of the file has a new id."))
        }
        guard problems.isEmpty else { throw Problems(problems: problems) }
    }

    /// - Parameter data: the file, such as one that was uploaded.
    /// - Throws: ``Problems``
    package init(_ data: Data) throws { try self.init(reading: DataStream(data)) }

    /// - Throws: ``Problems``, also if the file cannot be read
    package init(at path: String) throws {
        do {
            try self.init(reading: FileStream(path: path))
        } catch let error as UnreadableFile {
            throw Problems(problems: [Problem(line: 1, message: "\(error.message) \(error.remedy)")])
        }
    }

    private struct Wrong: Error { let message: String }

    /// Where each of the three columns is.
    private static func places(in reader: inout CSVReader) throws -> [Int] {
        func problem(_ message: String) -> Problems { Problems(problems: [Problem(line: 1, message: message)]) }
        let beginning = try reader.peek()
        if let encoding = TextEncoding.wideEncoding(of: beginning) {
            throw problem("The file is in \(encoding). Save it as UTF-8.")
        }
        if beginning.starts(with: TextEncoding.byteOrderMark) { reader.skip(TextEncoding.byteOrderMark.count) }
        let header = try reader.peek().prefix { $0 != .lineFeed && $0 != .carriageReturn }
        if header.contains(.semicolon) { reader.separate(by: .semicolon) }
        guard case .row = try reader.next() else { throw problem("The file is empty, or its first line is broken.") }
        let names = reader.cells.map { String(decoding: $0.bytes, as: UTF8.self).lowercased() }
        return try columns.map { column in
            guard let place = names.firstIndex(of: column), names.lastIndex(of: column) == place else {
                throw problem("The first line must name the columns \(columns.joined(separator: ",")), each once.")
            }
            return place
        }
    }

    private static func texts(_ cells: UnsafeMutableBufferPointer<CSVCell>) throws(Wrong) -> [String] {
        var texts: [String] = []
        for cell in cells { texts.append(try text(cell)) }
        return texts
    }

    private static func text(_ cell: CSVCell) throws(Wrong) -> String {
        guard let text = String(validating: cell.bytes, as: UTF8.self) else {
            throw Wrong(message: "A value is not UTF-8. Save the file as UTF-8.")
        }
        // Put there by ``IDMapWriter``, so that a spreadsheet takes the value for a text.
        guard text.first == "'", SpreadsheetText.beginsFormula(text.dropFirst()) else { return text }
        return String(text.dropFirst())
    }

    private mutating func append(_ cells: [String], _ places: [Int], _ line: Int) throws(Wrong) {
        let values = places.map { cells.indices.contains($0) ? cells[$0] : "" }
        guard values.contains(where: { !$0.isEmpty }) else { return }
        guard let kind = IDMove.Kind(rawValue: values[0].lowercased()) else {
            let kinds = IDMove.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Wrong(message: "The type “\(values[0].prefix(80))” is none of these: \(kinds).")
        }
        guard !values[2].isEmpty else {
            withoutNewID += 1
            return
        }
        guard !values[1].isEmpty else { throw Wrong(message: "The old id is missing.") }
        rows.append(Row(line: line, move: IDMove(kind, from: values[1], to: values[2])))
    }
}
