import Directory
import Storage

/// Makes user names for people whom an import would add, by the organization's format. A user name is unique on the
/// whole server, so the second and further people of one name get a number.
struct UserNames<T: Transaction> {
    /// People read per query.
    private static var pageSize: Int { 5_000 }
    /// Maximum length in bytes, less room for a number.
    private static var bytesMax: Int { FieldRule.userName.bytesMax - 8 }

    let format: UserNameFormat
    let differences: RosterDifferences<T>
    private let simplifiedNames = SimplifiedNames()
    /// Used to write rows to temporary tables within the transaction.
    let session: DatabaseSession

    init(format: UserNameFormat, differences: RosterDifferences<T>, session: DatabaseSession) {
        self.format = format
        self.differences = differences
        self.session = session
    }

    private var transaction: T { differences.transaction }

    private struct Named {
        let n: Int
        let name: String
    }

    /// Makes the names unique.
    func distinguish() throws {
        try numberNamesakes()
        try renameTaken()
    }

    /// Fills `new_person`, and reports whom the format cannot name.
    func make(_ defects: DefectLog) throws {
        var last = 0
        while true {
            var named: [Named] = []
            var seen = 0
            try transaction.forEach(
                """
                SELECT s.n, s.file, s.line, s.source_id, s.given_name, s.middle_name, s.family_name, s.person_number,
                       s.sis_username, s.email
                FROM staged_person AS s
                WHERE s.n > $1 AND NOT EXISTS (SELECT 1 FROM known_person AS k WHERE k.n = s.n)
                ORDER BY s.n
                LIMIT \(Self.pageSize)
                """,
                [last]
            ) { row in
                seen += 1
                last = try row["n"]
                if let name = try name(of: row, defects) { named.append(Named(n: last, name: name)) }
            }
            if seen == 0 { break }
            try insert(named, into: "new_person", columns: ["n", "base", "user_name"]) { [$0.name, $0.name] }
        }
        try differences.refreshStatistics("new_person")
    }

    /// The user name for a row of the statement above; nil, and a defect, if the format gives none.
    private func name(of row: Row, _ defects: DefectLog) throws -> String? {
        let person = try StagedPerson(row)
        let (file, line, sourceID): (String, Int, String?) = (try row["file"], try row["line"], try row["source_id"])
        func report(_ message: String, column: String, remedy: String) {
            defects.report(
                .managedIDGenerationFailed, in: "\(file).csv", line: line, column: column, value: sourceID, message,
                remedy: remedy)
        }
        switch format.userName(simplify: simplifiedNames.simplify, for: person.value) {
        case .success(let name):
            guard name.utf8.count > Self.bytesMax else { return name }
            report(
                "The user-name format \(format.text) makes a name of more than \(Self.bytesMax) bytes.",
                column: RosterColumn.personID.name, remedy: "Shorten the values, or change the format.")
        case .failure(let missing):
            // The reader has reported this missing value already.
            if person.value(missing.block) == nil, RosterFile(rawValue: file)?.requires(missing.block.column) == true {
                return nil
            }
            let column = missing.block.column.name
            report(
                "The user-name format \(format.text) needs a \(column), which this new person lacks.",
                column: column, remedy: "Fill in \(column), or change the format.")
        }
        return nil
    }

    /// Numbers people with equal names in the order of the files: `ana.ruiz`, `ana.ruiz2`, `ana.ruiz3`.
    private func numberNamesakes() throws {
        try differences.write(
            """
            INSERT INTO namesake (n, number)
            SELECT n, number
            FROM (SELECT n, ROW_NUMBER() OVER (PARTITION BY base ORDER BY n) AS number FROM new_person) AS ranked
            WHERE number > 1
            """)
        var last = 0
        while true {
            let page = try transaction.all(
                """
                SELECT p.n, p.base, s.number FROM namesake AS s
                JOIN new_person AS p ON p.n = s.n
                WHERE s.n > $1
                ORDER BY s.n
                LIMIT \(Self.pageSize)
                """,
                [last]
            ) { Named(n: try $0["n"], name: UserNameFormat.numbered(try $0["base"], try $0["number"])) }
            guard let end = page.last?.n else { break }
            last = end
            try insert(page, into: "numbered_person", columns: ["n", "user_name"]) { [$0.name] }
        }
        try differences.refreshStatistics("numbered_person")
        try differences.write(
            """
            UPDATE new_person SET user_name = numbered_person.user_name
            FROM numbered_person
            WHERE numbered_person.n = new_person.n
            """)
        try differences.refreshStatistics("new_person")
    }

    /// Renames where a name is taken already or kept for whoever had it, or where numbering produced it twice:
    /// `ana.ruiz2` can also be somebody's own name.
    private func renameTaken() throws {
        let taken = try transaction.all(
            """
            SELECT p.n, p.base
            FROM new_person AS p
            WHERE EXISTS (SELECT 1 FROM person AS other WHERE other.user_name = p.user_name)
               OR EXISTS (SELECT 1 FROM former_user_name AS kept WHERE kept.user_name = p.user_name)
               OR EXISTS (SELECT 1 FROM new_person AS other WHERE other.user_name = p.user_name AND other.n < p.n)
            ORDER BY p.base, p.n
            """
        ) { Named(n: try $0["n"], name: try $0["base"]) }
        let erased = try ErasedName.all(in: transaction)
        let all = try (taken + named(as: erased, besides: Set(taken.map(\.n)))).sorted {
            ($0.name, $0.n) < ($1.name, $1.n)
        }
        try rename(all, avoiding: erased)
    }

    /// The people whose names were those of people who were erased. Only hashes of these are left, which SQL cannot
    /// compare.
    private func named(as erased: ErasedName.Names, besides others: Set<Int>) throws -> [Named] {
        guard !erased.isEmpty else { return [] }
        var found: [Named] = []
        try transaction.forEach("SELECT n, base, user_name FROM new_person ORDER BY n") { row in
            let (n, userName): (Int, String) = (try row["n"], try row["user_name"])
            guard !others.contains(n), erased.contains(userName) else { return }
            found.append(Named(n: n, name: try row["base"]))
        }
        return found
    }

    private func rename(_ taken: [Named], avoiding erased: ErasedName.Names) throws {
        var number = 1
        for (index, person) in taken.enumerated() {
            if index == 0 || taken[index - 1].name != person.name { number = 1 }
            var name: String
            repeat {
                number += 1
                name = UserNameFormat.numbered(person.name, number)
            } while try erased.contains(name)
                || transaction.exists(
                    """
                    SELECT 1 FROM person WHERE user_name = $1
                    UNION ALL
                    SELECT 1 FROM former_user_name WHERE user_name = $1
                    UNION ALL
                    SELECT 1 FROM new_person WHERE user_name = $1
                    """,
                    [name])
            try differences.write("UPDATE new_person SET user_name = $2 WHERE n = $1", [person.n, name])
        }
    }

    private func insert(
        _ people: [Named], into table: String, columns: [String], _ values: (Named) -> [String]
    ) throws {
        guard !people.isEmpty else { return }
        try session.bulkInsert(into: table, columns: columns) { writer in
            for person in people {
                try writer.append(person.n)
                for value in values(person) { try writer.append(value) }
                try writer.endRow()
            }
        }
    }
}
