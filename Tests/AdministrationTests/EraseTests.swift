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

@Suite struct EraseTests {
    /// Texts that only the erased person has.
    private static let marks = [
        "Zerlina", "Quastenflosser", "zerlina", "S-7788", "PN-4455", "sis-7788", "Marburg-Agent", "Zerlinas tablet",
    ]

    /// A pupil who has left something in as many tables as a school can cause, and a friend who has too.
    private static func pupil(in scene: Scene, _ app: RegisteredApp) async throws -> Person {
        let school = scene.school
        let pupil = try await school.insertPerson("zerlina", .student)
        _ = try await scene.operator.perform(
            EditPerson(person: PersonReference(pupil.id), firstName: "Zerlina", lastName: "Quastenflosser"))
        _ = try await scene.operator.perform(
            EditPerson(person: PersonReference(pupil.id), email: "zerlina@mail.example", personID: "S-7788"))
        _ = try await scene.operator.perform(
            RenamePerson(person: PersonReference(pupil.id), userName: "zerlina.q@maple.example"))
        let course = try await school.insertClass("Choir", instructors: [], students: [pupil, scene.pupil])
        _ = try await scene.operator.perform(ArchiveClass(class: ClassReference(course)))
        _ = try await school.insertClass("Art", students: [pupil, scene.pupil])
        _ = try await scene.operator.perform(IssuePassword(person: PersonReference(pupil.id)))
        for person in [pupil, scene.pupil] {
            _ = try await school.signIn(person)
            try await scene.signIn(person, to: app)
        }
        try await scene.database.write { transaction in
            try transaction.execute(
                "UPDATE person SET person_number = 'PN-4455', sis_username = 'sis-7788' WHERE id = $1", [pupil.id])
            try transaction.execute(
                "UPDATE sign_in_consent SET given_name = 'Zerlina', family_name = 'Quastenflosser' WHERE person_id = $1",
                [pupil.id])
            try transaction.execute(
                "UPDATE browser_session SET user_agent = 'Marburg-Agent' WHERE person_id = $1", [pupil.id])
            try transaction.execute(
                """
                INSERT INTO registered_device (public_id, person_id, name, public_key, thumbprint, facts, registered_at)
                VALUES ('d', $1, 'Zerlinas tablet', $2, 't', '{}', 0)
                """, [pupil.id, [UInt8](repeating: 4, count: 65)])
            try transaction.execute(
                """
                INSERT INTO roster_import (id, organization_id, digest, summary, applied_at) VALUES (1, $1, '', '{}', 0)
                """, [school.organization.id])
            try transaction.execute(
                """
                INSERT INTO undo_person (import_id, person_id, effect, given_name, family_name, email, state)
                VALUES (1, $1, 'changed', 'Zerlina', 'Quastenflosser', 'zerlina@old.example', 'active')
                """, [pupil.id])
            try transaction.execute(
                "INSERT INTO id_map (id, organization_id, last_import_id, applied_at) VALUES (1, $1, 1, 0)",
                [school.organization.id])
            try transaction.execute(
                """
                INSERT INTO id_move (map_id, kind, record_id, old_id, new_id)
                VALUES (1, 'person', $1, 'S-7788-old', 'S-7788'), (1, 'class', $1, 'K-1', 'K-2')
                """, [pupil.id])
            try transaction.execute(
                """
                INSERT INTO mail_message (message_id, recipient, subject, body, language, created_at, next_attempt_at)
                VALUES ('m', 'Zerlina@mail.example', 'Zerlina', 'Zerlina', 'en', 0, 0)
                """)
        }
        return try await scene.database.read { try Person.find(pupil.id, in: $0) } ?? pupil
    }

    /// Every value of every table that has one of the texts, as `table.column`.
    private static func places(with texts: [String], in scene: Scene) async throws -> Set<String> {
        try await Contents.of(scene.database).filter { value in texts.contains { value.text.contains($0) } }
            .reduce(into: []) { $0.insert("\($1.table).\($1.column)") }
    }

    @Test(
        "nothing of the person is left anywhere, and everything of everybody else is",
        arguments: TestDatabase.available)
    func nothingIsLeft(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.insertApp()
            let pupil = try await Self.pupil(in: scene, app)
            let others = try await scene.school.people(besides: pupil)
            // The marks are really there before, in each of the tables that can have them.
            let before = try await Self.places(with: Self.marks, in: scene)
            #expect(
                before.isSuperset(of: [
                    "person.given_name", "former_user_name.user_name", "administration_change.undo_input",
                    "sign_in_consent.given_name", "browser_session.user_agent", "registered_device.name",
                    "undo_person.given_name", "id_move.old_id", "mail_message.recipient",
                ]))

            let answer = try await scene.operator.erase(PersonReference(pupil.id)).answer
            #expect(answer.number == pupil.id.rawValue)
            #expect(answer.gone.contains("classes: 2"))
            #expect(answer.gone.contains("registered devices: 1"))
            #expect(answer.apps.map(\.name) == ["Quizzler"])
            #expect(answer.stays.allSatisfy { $0.hasSuffix(".") })

            #expect(try await Self.places(with: Self.marks, in: scene) == [])
            #expect(try await scene.school.people(besides: pupil) == others)
            let left = try #require(try await scene.database.read { try Person.find(pupil.id, in: $0) })
            #expect(left.isErased && left.createdAt == pupil.createdAt && left.fullName.allSatisfy { $0 == " " })
            // The class with the same number in the id map is not the person.
            let moves = try await scene.database.read {
                try $0.all("SELECT kind FROM id_move") { try $0[0] as String }
            }
            #expect(moves == ["class"])
        }
    }

    @Test(
        "what has the number of the person afterwards is what the list says, and nothing else",
        arguments: TestDatabase.available)
    func whatStays(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = try await Self.pupil(in: scene, try await scene.insertApp())
            try await scene.operator.erase(PersonReference(pupil.id))
            let kept = Set(
                PersonTable.all.compactMap { table in
                    if case .kept = table.erasing { table.name } else { nil as String? }
                })
            let left = try await scene.database.read { transaction in
                try PersonTable.all.filter { table in
                    guard let column = table.columns.first, ["person_id", "granted_by", "merged_id"].contains(column)
                    else { return false }
                    return try transaction.exists("SELECT 1 FROM \(table.name) WHERE \(column) = $1", [pupil.id])
                }.map(\.name)
            }
            #expect(Set(left).isSubset(of: kept), "\(left)")
        }
    }

    @Test("nobody finds the record any more, in no list and by no name", arguments: TestDatabase.available)
    func isNotFound(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = try await Self.pupil(in: scene, try await scene.insertApp())
            try await scene.operator.erase(PersonReference(pupil.id))
            #expect(try await !scene.operator.ask(ListPeople()).people.map(\.number).contains(pupil.id.rawValue))
            let number = pupil.id.rawValue
            for text in [
                "PE-\(number)", "\(number)", pupil.userName, "deleted \(number)", "S-7788", "zerlina@maple.example",
            ] {
                let error = await #expect(throws: OperationError.self) {
                    try await scene.operator.ask(
                        ShowPerson(person: PersonReference(text)), in: .named(scene.school.organization.publicID))
                }
                #expect(error == .notFound(.person, text, in: scene.school.organization.name))
            }
            // A second time there is nothing to erase, and a reactivation brings back nobody.
            await #expect(throws: OperationError.self) {
                try await scene.operator.preview(ErasePerson(person: PersonReference(pupil.id)))
            }
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(ReactivatePerson(person: PersonReference(pupil.id)))
            }
        }
    }

    @Test("neither user name of the person becomes anybody else's for 90 days", arguments: TestDatabase.available)
    func names(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = try await Self.pupil(in: scene, try await scene.insertApp())
            try await scene.operator.erase(PersonReference(pupil.id))
            func add(_ userName: String) async throws {
                _ = try await scene.operator.perform(
                    AddPerson(
                        firstName: "New", lastName: "Pupil", userName: userName, role: .student,
                        at: LocationReference(scene.school.location.id)))
            }
            for name in ["Zerlina.Q@maple.example", "zerlina@maple.example"] {
                await #expect(throws: DirectoryError.userNameTaken(name.lowercased())) { try await add(name) }
            }
            scene.school.fixed.advance(by: 91 * 86_400)
            try await add("zerlina.q@maple.example")
            let people = try await scene.operator.ask(ListPeople()).people
            #expect(people.last.map { $0.number > pupil.id.rawValue } == true)
        }
    }

    @Test("it takes the version of the preview, which the person's own changes and new apps make stale")
    func version() async throws {
        try await Scene.with(.sqlite) { scene in
            let (pupil, erase) = (scene.pupil, ErasePerson(person: PersonReference(scene.pupil.id)))
            let app = try await scene.insertApp()
            let before = try await scene.state()
            await #expect(throws: OperationError.self) { try await scene.operator.perform(erase) }
            let seen = try await scene.operator.preview(erase).version
            try await scene.signIn(pupil, to: app)
            let now = try await scene.operator.preview(erase).version
            #expect(seen != nil && now != seen)
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(erase, ifVersion: seen)
            }
            #expect(error == .stale(version: now ?? ""))
            #expect(try await scene.state() == before)
            _ = try await scene.operator.perform(erase, ifVersion: now)
        }
    }

    @Test(
        "each app that has data is told once: by account-delete, with the id that it knows",
        arguments: TestDatabase.available)
    func apps(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = scene.pupil
            let signedIn = try await scene.insertApp()
            let former = try await scene.insert("Former", "com.example.former")
            let reader = try await scene.insert("Reader", "com.example.reader")
            let silent = try await scene.insert("Silent", "com.example.silent", notificationURL: nil)
            let stranger = try await scene.insert("Stranger", "com.example.stranger")
            for app in [signedIn, former, silent] { try await scene.signIn(pupil, to: app) }
            let now = scene.school.fixed.now
            let organization = scene.school.organization.id
            try await scene.database.write { transaction in
                try transaction.execute(
                    "UPDATE sign_in_consent SET revoked_at = $2 WHERE app_id = $1", [former.app.id, now])
                // Reader has read the pupil, and Stranger somebody else.
                for (app, id) in [(reader, pupil.id.rawValue), (stranger, pupil.id.rawValue + 4_000)] {
                    let runs = IDRuns([id])
                    try AuditEntry(
                        .rosterRead, by: .client(app.clientID), on: "users", outcome: .done,
                        detail: "1 records, ids \(runs.text); scopes edu.users.read", from: .system,
                        mentioning: runs.mentions(of: .people)
                    ).append(to: organization, at: now, in: transaction)
                }
            }
            let answer = try await scene.operator.erase(PersonReference(pupil.id)).answer
            #expect(Set(answer.apps.map(\.name)) == ["Quizzler", "Former", "Reader", "Silent"])
            #expect(answer.apps.filter { $0.state == .untold }.map(\.name) == ["Silent"])
            let queued = try await scene.database.read { transaction in
                try transaction.all("SELECT app_id, claims FROM notification ORDER BY app_id") {
                    "\(try $0["app_id"] as Int) \((try $0["claims"] as String).contains("account-delete"))"
                }
            }
            #expect(queued == [signedIn, former, reader].map { "\($0.app.id.rawValue) true" }.sorted())
            #expect(try await scene.operator.ask(ListErasures(unacknowledged: true)).erasures.count == 1)

            // One answers, the makers of the other two write letters.
            let jti: String? = try await scene.database.read {
                try $0.first("SELECT jti FROM erasure_notice WHERE app_id = $1", [signedIn.app.id]) { try $0[0] }
            }
            #expect(jti != nil)
            for app in ["Former", "Reader", "Silent"] {
                _ = try await scene.operator.perform(
                    AcknowledgeErasure(number: "PE-\(pupil.id.rawValue)", app: AppReference(app)))
            }
            let open = try await scene.operator.ask(ListErasures(unacknowledged: true)).erasures
            #expect(open.flatMap { $0.apps.filter { $0.acknowledgedAt == nil }.map(\.name) } == ["Quizzler"])
            #expect(open.first?.apps.first { $0.name == "Quizzler" }?.state == .waiting)
        }
    }

    @Test("a person whom the school's files name is refused, until they have left or were deactivated")
    func keptByImports() async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            try await scene.database.write {
                try $0.execute("UPDATE person SET source = 'csv', source_id = 'S-1' WHERE id = $1", [scene.pupil.id])
            }
            let error = await #expect(throws: OperationError.self) { try await scene.operator.erase(pupil) }
            #expect(error?.description.contains("S-1") == true)
            _ = try await scene.operator.perform(DeactivatePerson(person: pupil))
            try await scene.operator.erase(pupil)
            let hashes = try await scene.database.read {
                try Erasure.identityHashes(of: scene.school.organization.id, in: $0)
            }
            #expect(hashes == [Erasure.identityHash(of: "S-1", in: scene.school.organization.id)])
        }
    }

    @Test("nobody erases the last Administrator, themselves, or a personal account")
    func refusals() async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try #require(
                try await scene.database.read { try Person.find(userName: "head@maple.example", in: $0) })
            await #expect(throws: DirectoryError.lastAdministrator(head.fullName)) {
                try await scene.operator.erase(PersonReference(head.id))
            }
            let second = try await scene.holder(of: .administrator, at: nil)
            let oneself = await #expect(throws: OperationError.self) {
                try await scene.administrator(.person(second.id)).erase(PersonReference(second.id))
            }
            #expect(oneself?.description.contains("their own record") == true)
            let personal = try await scene.database.write {
                try Person.insert(
                    in: nil, givenName: "P", familyName: "A", userName: "p@home.example", at: scene.school.fixed.now,
                    in: $0)
            }
            await #expect(throws: OperationError.self) { try await scene.operator.erase(PersonReference(personal.id)) }
        }
    }

    @Test("a record that was given up goes with the one that is kept, and not alone", arguments: TestDatabase.available)
    func merged(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let twin = try await scene.school.insertPerson("twin", .student)
            let app = try await scene.insertApp()
            try await scene.signIn(twin, to: app)
            _ = try await scene.operator.perform(
                MergePeople(person: PersonReference(scene.pupil.id), other: PersonReference(twin.id)))
            await #expect(throws: OperationError.self) { try await scene.operator.erase(PersonReference(twin.id)) }
            let answer = try await scene.operator.erase(PersonReference(scene.pupil.id)).answer
            #expect(answer.gone.contains { $0.contains("merged") })
            // The app knows the record that was given up, by an id of its own.
            #expect(answer.apps.map(\.name) == ["Quizzler"])
            let erased = try await scene.operator.ask(ListErasures()).erasures
            #expect(erased.map(\.number) == [scene.pupil.id.rawValue, twin.id.rawValue])
            #expect(erased.map(\.apps.count) == [0, 1])
        }
    }

    @Test(
        "after an old copy was put in place, the list erases again whom it names, and nobody who has got a number of it",
        arguments: TestDatabase.available)
    func replay(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (pupil, organization) = (scene.pupil, scene.school.organization.publicID)
            let other = try await scene.school.insertPerson("other", .student)
            let now = scene.school.fixed.now
            func item(_ number: Int64, _ createdAt: Date) -> ReplayErasures.Item {
                .init(organization: organization, number: number, createdAt: createdAt, erasedAt: now)
            }
            let list = [
                item(pupil.id.rawValue, pupil.createdAt),
                // Its number belongs to somebody else in this copy.
                item(other.id.rawValue, other.createdAt.addingTimeInterval(-86_400)),
                // Made after the copy.
                item(other.id.rawValue + 50, now),
            ]
            let done = try await scene.operator.perform(ReplayErasures(erasures: list)).answer
            #expect(done.erased == [pupil.id.rawValue])
            #expect(done.unrecognized == [other.id.rawValue])
            #expect(done.unneeded == 1)
            let again = try await scene.operator.perform(ReplayErasures(erasures: list)).answer
            #expect(again.erased == [] && again.unneeded == 2)
            // The number of the one who was made after the copy was known to apps.
            let next = try await scene.school.insertPerson("next", .student)
            #expect(next.id.rawValue > other.id.rawValue + 50)
        }
    }

    @Test("while a hold is in force nobody is erased, neither by hand nor by a rule", arguments: TestDatabase.available)
    func holds(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = PersonReference(scene.pupil.id)
            for person in [pupil, nil] {
                let hold = try await scene.operator.perform(
                    AddHold(person: person, reason: "A court", until: "2026-09-30")
                ).answer
                let error = await #expect(throws: OperationError.self) { try await scene.operator.erase(pupil) }
                #expect(error?.description.contains("2026-09-30") == true)
                _ = try await scene.operator.perform(EndHold(hold: "\(hold.hold)"))
            }
            _ = try await scene.operator.perform(AddHold(person: pupil, reason: "A court", until: "2026-09-30"))
            let dates = try await scene.operator.ask(ListDueDates()).dates
            #expect(dates.map { "\($0.kind) \($0.on.text)" } == ["holdEnds 2026-09-30"])
            // The hold ends by itself after its last day.
            scene.school.fixed.advance(by: 30 * 86_400)
            try await scene.operator.erase(pupil)
        }
    }
}

/// Every value of every table.
enum Contents {
    struct Cell: Sendable {
        let table: String
        let column: String
        let text: String
    }

    static func of(_ database: any Database) async throws -> [Cell] {
        try await database.read { transaction in
            var cells: [Cell] = []
            for (table, columns) in try tables(in: transaction) {
                let texts = columns.map { "COALESCE(CAST(\"\($0)\" AS TEXT), '')" }
                // Hashes that are no text are left out.
                let rows = try transaction.all("SELECT \(texts.joined(separator: ", ")) FROM \"\(table)\"") { row in
                    columns.indices.map { (try? row[$0] as String) ?? "" }
                }
                for row in rows {
                    cells += zip(columns, row).map { Cell(table: table, column: $0, text: $1) }
                }
            }
            return cells
        }
    }

    static func tables(in transaction: some Transaction) throws -> [(String, [String])] {
        let names = try transaction.all(
            transaction.dialect == .sqlite
                ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
                : """
                SELECT CAST(table_name AS TEXT) FROM information_schema.tables
                WHERE table_schema = current_schema() ORDER BY table_name
                """
        ) { try $0[0] as String }
        return try names.map { name in
            let columns = try transaction.all(
                transaction.dialect == .sqlite
                    ? "SELECT name FROM pragma_table_info($1)"
                    : """
                    SELECT CAST(column_name AS TEXT) FROM information_schema.columns
                    WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position
                    """, [name]
            ) { try $0[0] as String }
            return (name, columns)
        }
    }
}

extension School {
    /// The records of everybody else, with what each has in the tables of people.
    func people(besides person: Person) async throws -> [String] {
        try await database.read { transaction in
            try transaction.all(
                """
                SELECT p.id, p.user_name, p.given_name, p.state,
                       (SELECT COUNT(*) FROM class_student AS m WHERE m.person_id = p.id) AS classes,
                       (SELECT COUNT(*) FROM role_assignment AS m WHERE m.person_id = p.id) AS roles,
                       (SELECT COUNT(*) FROM browser_session AS m WHERE m.person_id = p.id) AS sessions,
                       (SELECT COUNT(*) FROM sign_in_consent AS m
                        WHERE m.person_id = p.id AND m.revoked_at IS NULL) AS consents
                FROM person AS p WHERE p.id <> $1 ORDER BY p.id
                """, [person.id]
            ) { row in
                """
                \(try row["id"] as Int) \(try row["user_name"] as String) \(try row["given_name"] as String) \
                \(try row["state"] as String) \(try row["classes"] as Int) \(try row["roles"] as Int) \
                \(try row["sessions"] as Int) \(try row["consents"] as Int)
                """
            }
        }
    }
}

extension Scene {
    func insert(
        _ name: String, _ clientID: String, notificationURL: String? = "https://app.example/notifications"
    ) async throws -> RegisteredApp {
        let app = try await RegisteredApp.insert(
            in: database, school.fixed, under: MasterKey(bytes: school.fixed.surroundings.randomBytes(32)),
            clientIDs: [clientID], notificationURL: notificationURL)
        try await database.write { try $0.execute("UPDATE app SET name = $2 WHERE id = $1", [app.app.id, name]) }
        return app
    }
}
