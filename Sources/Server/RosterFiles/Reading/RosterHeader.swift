import Ground

/// The positions of a file's columns, by its header row.
struct RosterHeader {
    /// A column that the file's template knows.
    struct Field {
        let position: Int
        let column: RosterColumn
        /// 1, or the number in a repeated column's name such as `location_id_2`.
        let number: Int
        let isRequired: Bool

        var name: String { number == 1 ? column.name : "\(column.name)_\(number)" }
    }

    /// The names as written in the file.
    let names: [String]
    let fields: [Field]

    /// Matches `names` with the columns of `file` and reports what does not fit.
    /// - Parameter optional: columns that may be left out, although the file requires them.
    /// - Returns: nil if the rows cannot be understood by this header.
    init?(
        _ names: [String], of file: RosterFile, optional: Set<RosterColumn> = [], line: Int, defects: DefectLog
    ) {
        self.names = names
        var fields: [Field] = []
        var unknown: [String] = []
        for (position, name) in names.enumerated() {
            guard !name.allSatisfy(\.isWhitespace) else {
                Self.report(columnWithoutName: position + 1, of: file, line: line, defects: defects)
                continue
            }
            guard let (column, number) = Self.match(name, in: file) else {
                unknown.append(name)
                continue
            }
            if fields.contains(where: { $0.column == column && $0.number == number }) {
                defects.report(
                    .duplicateColumn, in: file.name, line: line, column: name,
                    "The header has this column twice.", remedy: "Remove or rename one of the two.")
                continue
            }
            let isRequired = number == 1 && file.requires(column) && !optional.contains(column)
            fields.append(Field(position: position, column: column, number: number, isRequired: isRequired))
        }
        self.fields = fields.sorted { ($0.column.rawValue, $0.number) < ($1.column.rawValue, $1.number) }

        guard !fields.isEmpty else {
            defects.report(
                .wrongHeader, in: file.name, line: line, value: names.joined(separator: ","),
                "The first line is not the header of \(file.name).",
                remedy: "Begin the file with the line \(file.columns.map(\.name).joined(separator: ",")).")
            return nil
        }
        var isComplete = Self.reportMissing(
            fields, &unknown, of: file, optional: optional, line: line, defects: defects)
        for name in unknown {
            if let column = Self.seriesMeant(by: name, in: file) {
                isComplete = false
                Self.report(name, spelledUnlike: column, of: file, line: line, defects: defects)
                continue
            }
            defects.report(
                .unknownColumn, in: file.name, line: line, column: Defect.printable(name),
                "This column is not part of \(file.name); it is ignored.",
                remedy: "Remove it, or give it one of the names in the template if it is misspelt.")
        }
        if !isComplete { return nil }
    }

    /// The name of the cell at `position`, for a defect.
    func name(at position: Int) -> String? {
        position < names.count ? Defect.printable(names[position]) : nil
    }

    /// `location_id` is (locationID, 1), `location_id_2` (locationID, 2).
    private static func match(_ name: String, in file: RosterFile) -> (RosterColumn, Int)? {
        for column in file.columns {
            if name == column.name { return (column, 1) }
            guard name.hasPrefix(column.name + "_") else { continue }
            let digits = name.dropFirst(column.name.count + 1)
            if let number = Int(digits), String(number) == digits, (2...).contains(number),
                number <= file.seriesMax(of: column)
            {
                return (column, number)
            }
        }
        return nil
    }

    /// The repeated column that a misspelt name such as `location_id2` or `Instructor_ID_02` was probably meant for.
    /// Ignoring such a column would take people out of their schools and classes.
    private static func seriesMeant(by name: String, in file: RosterFile) -> RosterColumn? {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        return file.columns.first {
            file.seriesMax(of: $0) > 1 && Spelling.isNearlySame(name.dropLast(digits), $0.name)
                // Without a number, `location` is more likely another column.
                && (digits > 0 || name.count >= $0.name.count)
        }
    }

    /// Spreadsheets write an empty name for a column of row numbers.
    private static func report(columnWithoutName number: Int, of file: RosterFile, line: Int, defects: DefectLog) {
        defects.report(
            .unknownColumn, in: file.name, line: line, "Column \(number) of the header has no name; it is ignored.",
            remedy: "Remove it, or give it one of the names in the template.")
    }

    private static func report(
        _ name: String, spelledUnlike column: RosterColumn, of file: RosterFile, line: Int, defects: DefectLog
    ) {
        let last = "\(column.name)_\(file.seriesMax(of: column))"
        defects.report(
            .misspeltColumn, in: file.name, line: line, column: Defect.printable(name),
            "The header spells one of the columns \(column.name), \(column.name)_2 … \(last) differently.",
            remedy: "Rename the column to one of these, or remove it.")
    }

    /// Reports each missing column, with the misspelt name that was probably meant for it, which is then removed from
    /// `unknown`.
    /// - Returns: whether nothing was reported.
    private static func reportMissing(
        _ fields: [Field], _ unknown: inout [String], of file: RosterFile, optional: Set<RosterColumn>, line: Int,
        defects: DefectLog
    ) -> Bool {
        var isComplete = true
        for column in file.columns {
            let isThere = fields.contains {
                $0.column == column && ($0.number == 1 || !file.requires(column))
            }
            if isThere { continue }
            let similar = unknown.firstIndex { Spelling.isSimilar($0, column.name) }
            guard file.needs(column) && !optional.contains(column) || similar != nil else { continue }
            isComplete = false
            let found = similar.map { Defect.printable(unknown.remove(at: $0)) }
            let mayBeBlank = !file.requires(column) || optional.contains(column)
            let addendum = mayBeBlank ? "; its cells may be blank" : ""
            defects.report(
                .missingColumn, in: file.name, line: line, column: column.name, value: found,
                found == nil ? "The header lacks this column." : "The header spells this column differently.",
                remedy: found.map { "Rename the column \($0) to \(column.name)." }
                    ?? "Add the column \(column.name), spelt exactly so\(addendum).")
        }
        return isComplete
    }
}
