import Directory
import Ground
import Storage

/// Finds out whether the ids in the files still mean the people whose accounts have them, or whether a school has
/// reused an id for another child.
extension RosterDifferences {
    /// Rows read per query. Names are compared in Swift, because neither database treats `Ana María` and `Ana Maria` as
    /// alike.
    private static var pageSize: Int { 5_000 }

    /// Call after ``comparePeople()``, which finds out who leaves.
    func compareIdentities(_ defects: DefectLog) throws -> IdentityChanges {
        try findLostNames()
        let likeness = NameLikeness()
        var changes = IdentityChanges()
        changes.passedOn = try count("SELECT COUNT(*) FROM replaced_person")
        changes.erased = try reportErased(to: defects)
        var last = 0
        while true {
            var seen = 0
            try transaction.forEach(
                """
                SELECT s.n, s.file, s.line, s.source_id, s.given_name, s.middle_name, s.family_name, s.email,
                       s.person_number, s.sis_username, p.given_name AS former_given_name,
                       p.middle_name AS former_middle_name, p.family_name AS former_family_name,
                       p.email AS former_email, p.person_number AS former_person_number,
                       p.sis_username AS former_sis_username,
                       CASE
                           WHEN EXISTS (
                               SELECT 1 FROM lost_name AS lost
                               WHERE lost.given_name = s.given_name AND lost.family_name = s.family_name
                           ) THEN 1 ELSE 0
                       END AS is_anothers_name
                FROM known_person AS k
                JOIN staged_person AS s ON s.n = k.n
                JOIN person AS p ON p.id = k.id
                WHERE s.n > $1 AND (p.given_name <> s.given_name OR p.family_name <> s.family_name)
                ORDER BY s.n
                LIMIT \(Self.pageSize)
                """,
                [last]
            ) { row in
                seen += 1
                last = try row["n"]
                if let change = try Self.identityChange(row, likeness) { changes.count(change) }
            }
            if seen < Self.pageSize { break }
        }
        changes.finish()
        return changes
    }

    /// Reports which of the people who would be added were erased, and counts them. Only hashes of their ids are left, which SQL cannot
    /// compare. An id that passes on to a new person by the caller's wish has an account, so it is none of them.
    private func reportErased(to defects: DefectLog) throws -> Int {
        let hashes = try Erasure.identityHashes(of: organization, in: transaction)
        guard !hashes.isEmpty else { return 0 }
        var found = 0
        try transaction.forEach(
            """
            SELECT s.file, s.line, s.source_id FROM staged_person AS s
            JOIN new_person AS p ON p.n = s.n
            ORDER BY s.n
            """
        ) { row in
            let sourceID: String = try row["source_id"]
            guard hashes.contains(Erasure.identityHash(of: sourceID, in: organization)) else { return }
            found += 1
            defects.report(
                .erasedPerson, in: "\(try row["file"] as String).csv", line: try row["line"],
                column: RosterColumn.personID.name, value: sourceID,
                "The person with this id was erased, and would come back as a new one.",
                remedy: "Take the row out, unless the person is back.")
        }
        return found
    }

    /// Collects the names that accounts lose by this import, by renaming or because people leave.
    private func findLostNames() throws {
        try write(
            """
            INSERT INTO lost_name (given_name, family_name)
            SELECT p.given_name, p.family_name
            FROM person_difference AS d
            JOIN person AS p ON p.id = d.id
            LEFT JOIN staged_person AS s ON s.n = d.n
            WHERE d.effect = 'missing' OR p.given_name <> s.given_name OR p.family_name <> s.family_name
            """)
        try refreshStatistics("lost_name")
    }

    /// What else may say that it is the same person, and where a row of the statement above has it before and after.
    private static var comparedColumns: [(RosterColumn, before: StaticString, after: StaticString)] {
        [
            (.emailAddress, "former_email", "email"),
            (.personNumber, "former_person_number", "person_number"),
            (.sisUsername, "former_sis_username", "sis_username"),
        ]
    }

    /// The change that a row of the statement above describes; nil if it is plausibly the same person.
    private static func identityChange(_ row: Row, _ likeness: NameLikeness) throws -> IdentityChange? {
        let former = NameLikeness.Name(
            given: try row["former_given_name"], middle: try row["former_middle_name"],
            family: try row["former_family_name"])
        let name = NameLikeness.Name(
            given: try row["given_name"], middle: try row["middle_name"], family: try row["family_name"])
        let difference = likeness.difference(between: former, and: name)
        // The name has moved from one id to another: siblings were swapped, or rows shifted. Similar names or other
        // equal fields do not contradict that.
        let isAnothersName: Bool = try row["is_anothers_name"]
        // If only the family name is new, it is usually the same person.
        guard difference.given || difference.family || isAnothersName else { return nil }
        var (agreeing, differing): ([String], [String]) = ([], [])
        for (column, formerName, name) in comparedColumns {
            guard let before = try row[formerName] as String?, let after = try row[name] as String? else { continue }
            if before.lowercased() == after.lowercased() {
                agreeing.append(column.name)
            } else {
                differing.append(column.name)
            }
        }
        let doubt: IdentityChange.Doubt
        if isAnothersName || (difference.given && difference.family && agreeing.isEmpty) {
            doubt = .anotherPerson
        } else if !difference.given {
            // Someone who marries keeps the person number, and often gets a new user name and address.
            guard agreeing.isEmpty, !differing.isEmpty else { return nil }
            doubt = differing.contains(RosterColumn.personNumber.name) ? .anotherPerson : .renamed
        } else if difference.family || agreeing.isEmpty {
            doubt = .renamed
        } else {
            return nil
        }
        return IdentityChange(
            doubt: doubt, file: "\(try row["file"] as String).csv", line: try row["line"],
            personID: Defect.printable(try row["source_id"]),
            formerName: Defect.printable(Person.fullName(givenName: former.given, familyName: former.family)),
            name: Defect.printable(Person.fullName(givenName: name.given, familyName: name.family)),
            isAnothersName: isAnothersName, agreeing: agreeing, differing: differing)
    }
}

// MARK: Ids that pass to new people

extension RosterDifferences {
    /// Treats rows whose ids pass to somebody else as new people, and their former holders as not named by the files.
    ///
    /// An account that already has the name of the row is left alone, so that the same command can be repeated.
    func passOnIdentifiers() throws {
        try write(
            """
            INSERT INTO replaced_person (id, n)
            SELECT DISTINCT p.id, s.n
            FROM wanted_new_person AS w
            JOIN staged_person AS s ON s.source_id = w.source_id
            JOIN known_person AS k ON k.n = s.n
            JOIN person AS p ON p.id = k.id
            WHERE p.given_name <> s.given_name OR p.family_name <> s.family_name
            """)
        try write("DELETE FROM known_person WHERE n IN (SELECT n FROM replaced_person)")
    }

    /// Plans that the former holders leave, also those created or deactivated by hand, whom an import would otherwise
    /// not touch.
    func findReplacedPeople() throws {
        try write(
            """
            INSERT INTO person_difference (id, n, effect, is_visible)
            SELECT id, NULL, 'missing', 1 FROM replaced_person
            WHERE TRUE
            ON CONFLICT (id) DO NOTHING
            """)
    }

    func reportNewPeople(to defects: DefectLog) throws {
        func report(_ code: Defect.Code, _ condition: String, _ message: String, remedy: String) throws {
            try transaction.forEach(
                """
                SELECT DISTINCT w.source_id FROM wanted_new_person AS w
                LEFT JOIN staged_person AS s ON s.source_id = w.source_id
                WHERE \(condition)
                ORDER BY w.source_id
                """
            ) { row in
                let id: String = try row[0]
                defects.report(
                    code, in: RosterFile.students.name, column: RosterColumn.personID.name, value: id, message,
                    remedy: remedy)
            }
        }
        try report(
            .newPersonUnknown, "s.n IS NULL",
            "The id is to be a new person's, and neither students.csv nor staff.csv has a row for it.",
            remedy: "Correct the id, or leave it out.")
        try report(
            .newPersonNeedless, "s.n IS NOT NULL AND s.n NOT IN (SELECT n FROM replaced_person)",
            "The id is to be a new person's, and no account has it under another name; nothing is done for it.",
            remedy: "Nothing need be done if an earlier import has passed the id on.")
    }
}
