import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct PersonDataTests {
    /// Columns that refer to a person without a foreign key.
    private static let columns: Set = [
        "person_id", "granted_by", "revoked_by", "merged_id", "kept_id", "actor", "caller", "claims", "recipient",
        "undo_input", "name_hash",
    ]

    /// Tables in which such a column means something else, with the reason.
    private static let others: [String: String] = [
        "unknown_name": "hashes of names that belong to no account"
    ]

    @Test(
        "every table that refers to a person is either in the data or has a reason why not, and says what erasing does",
        arguments: TestDatabase.available)
    func everyTable(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let found = try await database.read { transaction in
                try Contents.tables(in: transaction).filter { table, columns in
                    let keys = try Self.foreignKeys(of: table, in: transaction)
                    return table == "person" || !keys.isEmpty || !Self.columns.isDisjoint(with: columns)
                }.map(\.0)
            }
            let listed = Set(PersonTable.all.map(\.name))
            #expect(Set(found).subtracting(listed).subtracting(Self.others.keys) == [])
            // A table that is gone would be a section that nobody can fill.
            #expect(listed.subtracting(try await database.read { try Contents.tables(in: $0) }.map(\.0)) == [])
            #expect(listed.count == PersonTable.all.count)
            for table in PersonTable.all {
                if case .left(let reason) = table.shown { #expect(reason.hasSuffix("."), "\(table.name)") }
                if case .kept(let reason) = table.erasing { #expect(reason.hasSuffix("."), "\(table.name)") }
            }
        }
    }

    /// The columns that refer to people.
    private static func foreignKeys(of table: String, in transaction: some Transaction) throws -> [String] {
        switch transaction.dialect {
        case .sqlite:
            try transaction.all(
                "SELECT \"from\" FROM pragma_foreign_key_list($1) WHERE \"table\" = 'person'", [table]
            ) { try $0[0] as String }
        case .postgres:
            try transaction.all(
                """
                SELECT CAST(conname AS TEXT) FROM pg_constraint
                WHERE contype = 'f' AND conrelid = CAST($1 AS TEXT)::regclass AND confrelid = 'person'::regclass
                """, [table]
            ) { try $0[0] as String }
        }
    }

    @Test("it has what there is, names apps, and does not name other people", arguments: TestDatabase.available)
    func sections(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (pupil, school) = (scene.pupil, scene.school)
            let teacher = try await school.insertPerson("teacher", .instructor)
            let choir = try await school.insertClass("Choir", instructors: [teacher], students: [pupil])
            _ = try await scene.operator.perform(ArchiveClass(class: ClassReference(choir)))
            _ = try await school.insertClass("Art", instructors: [teacher], students: [pupil])
            let app = try await scene.insertApp()
            try await scene.signIn(pupil, to: app)
            _ = try await scene.operator.perform(
                EditPerson(person: PersonReference(pupil.id), lastName: "Núñez", email: "home@mail.example"))
            let head = try #require(
                try await scene.database.read { try Person.find(userName: "head@maple.example", in: $0) })
            _ = try await scene.administrator(.person(head.id)).ask(ShowPerson(person: PersonReference(pupil.id)))
            let runs = IDRuns([pupil.id.rawValue])
            let (organization, now) = (school.organization.id, school.fixed.now)
            try await scene.database.write { transaction in
                for _ in 0..<3 {
                    try AuditEntry(
                        .rosterRead, by: .client(app.clientID), on: "users", outcome: .done,
                        detail: "1 records, ids \(runs.text); scopes edu.users.read", from: .system,
                        mentioning: runs.mentions(of: .people)
                    ).append(to: organization, at: now, in: transaction)
                }
            }

            let data = try await scene.operator.ask(DescribePerson(person: PersonReference(pupil.id)))
            func rows(_ name: PersonData.Section.Name) -> [[String: String]] {
                data.sections.first { $0.name == name }?.rows ?? []
            }
            #expect(rows(.account).first?["lastName"] == "Núñez")
            #expect(rows(.roles) == [["role": "student", "place": "Maple District Main", "source": "manual"]])
            #expect(rows(.classes).map { $0["name"] } == ["Choir", "Art"])
            #expect(rows(.classes).map { $0["archivedAt"] != nil } == [true, false])
            #expect(rows(.appSignIns).map { $0["app"] } == ["Quizzler"])
            #expect(rows(.formerValues).contains { $0["before"]?.contains("lastName") == true })
            let reader = try #require(rows(.readers).first { $0["way"] == "roster" })
            #expect(reader["reader"] == "Quizzler" && reader["times"] == "3" && reader["certain"] == "yes")
            #expect(rows(.readers).contains { $0["way"] == "administration" && $0["list"] == "person.show" })
            #expect(rows(.history).contains { $0["action"] == "person.changed" && $0["who"] == "operator" })
            let text = String(decoding: try JSONEncoder.administration.encode(data), as: UTF8.self)
            #expect(!text.contains("Teacher") && !text.contains("teacher@"))
            #expect(
                data.sections.allSatisfy { section in
                    !section.rows.isEmpty && section.rows.allSatisfy { Set($0.keys).isSubset(of: section.columns) }
                })
        }
    }

    @Test("asking for it leaves an entry in the trail, also of the operator, and is a reading of the person")
    func isAnExport() async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            _ = try await scene.operator.ask(DescribePerson(person: pupil))
            #expect(
                try await scene.trail().last
                    == "operator person.exported person:\(scene.pupil.id.rawValue) done person.data")
            let readings = try await scene.operator.ask(ListReaders(person: pupil)).readings
            #expect(readings.map(\.way) == [.export] && readings[0].isCertain)
        }
    }

    @Test(
        "no name makes a formula of a cell of the file, and none ends a cell before its end",
        arguments: ["=HYPERLINK(\"https://evil.example\")", "+1", "-1", "@SUM(B:B)", "\",\"=1", "a,=1\"", "＝1+1"])
    func formulas(_ name: String) async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            _ = try await scene.operator.perform(EditPerson(person: pupil, firstName: name))
            let csv = try await scene.operator.ask(DescribePerson(person: pupil)).csv
            // Cells as a spreadsheet takes them apart: in quotes, within which two stand for one.
            let cells = csv.matches(of: /"((?:[^"]|"")*)"(?:,|\R)/).map { $0.1.replacing("\"\"", with: "\"") }
            #expect(cells.contains { $0 == name || $0 == "'\(name)" })
            #expect(!cells.contains { $0.first.map { "=+-@＝".contains($0) } ?? false })
        }
    }

    @Test("a record that was given up for another one is in the data of that one")
    func merged() async throws {
        try await Scene.with(.sqlite) { scene in
            let twin = try await scene.school.insertPerson("twin", .student)
            _ = try await scene.operator.perform(
                MergePeople(person: PersonReference(scene.pupil.id), other: PersonReference(twin.id)))
            let data = try await scene.operator.ask(DescribePerson(person: PersonReference(scene.pupil.id)))
            let accounts = try #require(data.sections.first { $0.name == .account }).rows
            #expect(accounts.map { $0["userName"] } == ["pupil@maple.example", "twin@maple.example"])
            await #expect(throws: OperationError.self) {
                try await scene.operator.ask(DescribePerson(person: PersonReference(twin.id)))
            }
        }
    }
}
