import Crypto
import Directory
import Foundation

/// Compares two sets of the six files, row by row. Memory grows with the number of rows, by 40 bytes for each, and not with
/// what is in them.
package struct RosterComparison {
    private let before: RosterSource
    private let after: RosterSource
    private let kind: Organization.Kind
    private let rowsMax: Int

    /// - Parameters:
    ///   - kind: of the organization, which says what files there are.
    ///   - rowsMax: how many rows that differ are described; all are counted.
    /// - Throws: ``RosterImportError/unreadable(_:)``
    package init(
        before: RosterPackage, after: RosterPackage, of kind: Organization.Kind = .school, rowsMax: Int
    ) throws {
        func source(_ package: RosterPackage) throws -> RosterSource {
            let defects = DefectLog()
            guard let source = RosterSource.open(.init(in: package, named: "archive.zip"), for: kind, defects: defects)
            else {
                throw RosterImportError.unreadable(defects.kept)
            }
            return source
        }
        self.before = try source(before)
        self.after = try source(after)
        self.kind = kind
        self.rowsMax = rowsMax
    }

    /// - Throws: ``RosterImportError/unreadable(_:)`` if a file cannot be read whole
    package func run() throws -> RosterDifference {
        var difference = RosterDifference()
        for file in RosterFile.files(of: kind) { try compare(file, into: &difference) }
        return difference
    }

    private func compare(_ file: RosterFile, into difference: inout RosterDifference) throws {
        var counts = RosterDifference.Counts()
        var rows: [RosterDifference.Row] = []
        // The rows that have changed, by their digest: texts would be equal that differ in bytes.
        var places: [Digest: Int] = [:]
        let room = max(0, rowsMax - difference.rows.count)
        var old: [Digest: Digest] = [:]
        try read(file, of: before) { row in old[Digest(idOf: row, file)] = Digest(of: row, file) }
        // What is left in it at the end was removed.
        try read(file, of: after) { row in
            let (id, digest) = (Self.id(of: row, file), Digest(idOf: row, file))
            switch old.removeValue(forKey: digest) {
            case nil:
                counts.added += 1
                if rows.count < room { rows.append(.init(file: file, kind: .added, id: id, line: row.line)) }
            case Digest(of: row, file): counts.unchanged += 1
            default:
                counts.changed += 1
                if rows.count < room {
                    places[digest] = rows.count
                    rows.append(
                        .init(
                            file: file, kind: .changed, id: id, line: row.line,
                            columns: Self.values(of: row, file).map { .init(name: $0, before: nil, after: $1) }))
                }
            }
        }
        counts.removed = old.count
        try describeOld(file, &rows, changed: places, removed: old, room: room)
        difference.counts[file.rawValue] = counts
        difference.rows += rows
    }

    /// Reads the earlier files once more: for the values that have changed, and for the rows that were removed.
    private func describeOld(
        _ file: RosterFile, _ rows: inout [RosterDifference.Row], changed places: [Digest: Int],
        removed: [Digest: Digest], room: Int
    ) throws {
        guard !places.isEmpty || !removed.isEmpty && rows.count < room else { return }
        var removed = removed
        try read(file, of: before) { row in
            let digest = Digest(idOf: row, file)
            if let place = places[digest] {
                let old = Dictionary(Self.values(of: row, file), uniquingKeysWith: { $1 })
                rows[place].columns = rows[place].columns.compactMap { column in
                    let before = old[column.name] ?? nil
                    return before == column.after ? nil : .init(name: column.name, before: before, after: column.after)
                }
            } else if rows.count < room, removed.removeValue(forKey: digest) != nil {
                rows.append(.init(file: file, kind: .removed, id: Self.id(of: row, file), line: row.line))
            }
        }
    }

    private func read(
        _ file: RosterFile, of source: RosterSource, _ body: (borrowing RosterRow) throws -> Void
    ) throws {
        let defects = DefectLog()
        func failure() -> RosterImportError { .unreadable(defects.kept.filter { $0.severity == .error }) }
        do {
            guard let stream = try source.stream(file) else { throw failure() }
            var reader = RosterFileReader(
                file, from: stream, optional: file.columnsLeftOut(by: kind), defects: defects)
            guard try !reader.forEachRow(body).isIncomplete else { throw failure() }
        } catch let error as UnreadableFile {
            throw RosterImportError.unreadable([Defect(error.code, in: file.name, error.message, remedy: error.remedy)])
        }
    }
}

// MARK: Rows

extension RosterComparison {
    /// The first half of a SHA-256, which no two texts share.
    private struct Digest: Hashable {
        private let bytes: SIMD2<UInt64>

        init(of text: String) {
            bytes = SHA256.hash(data: Data(text.utf8)).withUnsafeBytes { $0.loadUnaligned(as: SIMD2<UInt64>.self) }
        }

        /// Made of the id of a row. No cell has the character between its parts.
        init(idOf row: borrowing RosterRow, _ file: RosterFile) {
            self.init(of: parts(ofIDOf: row, file).joined(separator: "\u{0}"))
        }

        /// Made of all values of a row, whatever the order of its columns.
        init(of row: borrowing RosterRow, _ file: RosterFile) {
            self.init(of: values(of: row, file).map { "\($0)=\($1 ?? "")" }.joined(separator: "\u{0}"))
        }
    }

    private static func id(of row: borrowing RosterRow, _ file: RosterFile) -> String {
        parts(ofIDOf: row, file).joined(separator: " ")
    }

    private static func parts(ofIDOf row: borrowing RosterRow, _ file: RosterFile) -> [String] {
        let columns: [RosterColumn] =
            switch file {
            case .locations: [.locationID]
            case .students, .staff: [.personID]
            case .courses: [.courseID]
            case .classes: [.classID]
            case .rosters: [.classID, .studentID]
            }
        var parts: [String] = []
        for column in columns { parts.append(String(decoding: row[column], as: UTF8.self)) }
        return parts
    }

    /// By column; nil for a blank cell.
    private static func values(of row: borrowing RosterRow, _ file: RosterFile) -> [(String, String?)] {
        var values: [(String, String?)] = []
        for column in file.columns where column != .rosterID {
            var texts: [String] = []
            row.forEachValue(of: column) { texts.append(String(decoding: $0, as: UTF8.self)) }
            values.append((column.name, texts.isEmpty ? nil : texts.joined(separator: " ")))
        }
        return values
    }
}
