import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Mail
import RosterFiles
import Storage
import TestSupport
import Testing

/// Imports as operations, and their files.
@Suite struct ImportTests {
    @Test(
        "an import is taken back like any other change, and its files are imported again without sending them",
        arguments: TestDatabase.available)
    func again(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let done = try await scene.importRoster()
            #expect(done.answer.outcome == .applied && done.answer.counts.students.added == 2)
            let (_, first) = try await scene.lastImports()
            let state = try await scene.people()
            let effects = try await scene.operator.undo(try #require(done.change))
            #expect(effects.map(\.action) == ["roster.import-undone"])
            #expect(try await scene.people() != state)

            let again = try await scene.operator.perform(ImportRoster(.kept(first)), in: scene.maple)
            #expect(again.answer.outcome == .applied && again.answer.counts.students.reactivated == 2)
            #expect(again.answer.digest == done.answer.digest)
            #expect(try await scene.people() == state)
            let history = try await scene.operator.ask(ListImports(), in: scene.maple).imports
            #expect(history.map(\.filesAreKept) == [true, true])
            let nothing = try await scene.importRoster()
            #expect(nothing.answer.outcome == .nothingToDo && nothing.effects.isEmpty && nothing.change == nil)
        }
    }

    @Test("imports are taken back from the newest on, and each once", arguments: TestDatabase.available)
    func order(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.importRoster()
            var files = RosterTexts()
            files.students[1] = "S-2,L-1,Bo,Bergmann,,,4,,,"
            try await scene.importRoster(files)
            let (first, second) = try await scene.lastImports()
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(UndoImport(import: first), in: scene.maple)
            }
            _ = try await scene.operator.perform(UndoImport(import: second), in: scene.maple)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(UndoImport(import: second), in: scene.maple)
            }
            let last = ImportReference(ImportReference.last)
            _ = try await scene.operator.perform(UndoImport(import: last), in: scene.maple)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(UndoImport(import: last), in: scene.maple)
            }
        }
    }

    @Test(
        "a held import is told by mail, lists its plan, and is approved without sending the files again",
        arguments: TestDatabase.available)
    func held(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            // Decides for all places, so that the mail goes there.
            _ = try await scene.school.insertPerson("mika", .siteManager, email: "mika@maple.example")
            try await scene.database.write { _ = try $0.execute("UPDATE role_assignment SET location_id = 0") }
            let mail = AdministratorMail(
                mailer: Mailer(
                    sender: try Mailbox("Lanyard <id@lanyard.example>"), surroundings: scene.school.fixed.surroundings),
                writing: { _, _ in ("An import is held", "Look at it.") })
            let scene = scene.with(Scene.services(of: scene.school, administratorMail: mail))
            var large = RosterTexts()
            large.students = (1...80).map { "S-\($0),L-1,Pupil,Number\($0),,,4,,," }
            large.rosters = []
            try await scene.importRoster(large)
            var small = large
            small.students = Array(large.students.prefix(20))
            let done = try await scene.importRoster(small)
            #expect(done.answer.outcome == .held && done.effects.isEmpty && done.change == nil)
            try await scene.importRoster(small)
            #expect(try await scene.count("mail_message") == 1, "the same plan was told twice")
            let list = try await scene.operator.ask(ListImports(), in: scene.maple)
            #expect(list.imports.count == 1)
            #expect(list.held.map(\.planID) == [done.answer.planID] && list.held.map(\.filesAreKept) == [true])
            #expect(try await scene.count("import_files") == 2)

            let held = ImportReference(ImportReference.held)
            let difference = try await scene.operator.ask(
                CompareImports(import: held, from: try await scene.lastImports().later, limit: 1), in: scene.maple)
            #expect(difference.counts["students"]?.removed == 60 && difference.rows.count == 1)
            let applied = try await scene.operator.perform(
                ImportRoster(.kept(held), approve: done.answer.planID), in: scene.maple)
            #expect(applied.answer.outcome == .applied && applied.answer.counts.students.deactivated == 60)
            #expect(try await scene.operator.ask(ListImports(), in: scene.maple).held.isEmpty)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(ImportRoster(.kept(held)), in: scene.maple)
            }
        }
    }

    @Test(
        "a held import is discarded with its files, waits no more, and is held anew if the same files come again",
        arguments: TestDatabase.available)
    func discarded(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let held = ImportReference(ImportReference.held)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(DiscardImport(import: held), in: scene.maple)
            }
            let plan = try await scene.holdImport()
            let people = try await scene.people()
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(DiscardImport(import: ImportReference("no plan")), in: scene.maple)
            }
            for reference in [held, ImportReference(plan)] {
                let done = try await scene.operator.perform(DiscardImport(import: reference), in: scene.maple)
                #expect(done.answer.planID == plan && done.answer.filesAreKept && done.change == nil)
                #expect(done.effects.map(\.action) == ["roster.import-discarded"])
                let list = try await scene.operator.ask(ListImports(), in: scene.maple)
                #expect(list.held.isEmpty && list.imports.count == 1)
                #expect(try await scene.count("import_files") == 1)
                await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(DiscardImport(import: reference), in: scene.maple)
                }
                #expect(try await scene.holdAgain() == plan)
            }
            #expect(try await scene.people() == people)
        }
    }

    @Test("discarding what waits for one school leaves what waits for the others", arguments: TestDatabase.available)
    func discardedOfSchool(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            let plans: [(String, [LocationID])] = [
                ("aa", []), ("bb", [scene.school.location.id]), ("cc", [LocationID(rawValue: 99)]),
            ]
            try await scene.database.write { transaction in
                for (plan, schools) in plans {
                    try AuditEntry(
                        .rosterImported, by: .operator, on: "organization:\(organization.rawValue)", outcome: .refused,
                        detail: ImportTrail.held(plan, of: schools), from: .commandLine
                    ).append(to: organization, at: now, in: transaction)
                }
            }
            func waiting() async throws -> Set<String> {
                Set(try await scene.operator.ask(ListImports(), in: scene.maple).held.map(\.planID))
            }
            #expect(try await waiting() == ["aa", "bb", "cc"])
            let ambiguous = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(
                    DiscardImport(import: ImportReference(ImportReference.held)), in: scene.maple)
            }
            #expect(ambiguous?.description.contains("bb") == true)
            for (plan, left) in [("bb", ["aa", "cc"]), ("aa", ["cc"]), ("cc", [])] {
                _ = try await scene.operator.perform(DiscardImport(import: ImportReference(plan)), in: scene.maple)
                #expect(try await waiting() == Set(left))
            }
        }
    }

    @Test(
        "a plan that is asked for waits although little would change, and is shown as it was made",
        arguments: TestDatabase.available)
    func requested(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.importRoster()
            var files = RosterTexts()
            files.students[1] = "S-2,L-1,Bo,Bergmann,,,4,,,"
            let held = try await scene.operator.perform(
                ImportRoster(.archive(files.archive()), hold: true), in: scene.maple)
            #expect(held.answer.outcome == .held && held.answer.held.map(\.rule) == [.requested])
            let plan = try #require(held.answer.planID)
            let shown = try await scene.operator.ask(ShowImport(import: ImportReference(plan)), in: scene.maple)
            #expect(shown.planID == plan && shown.report?.counts.students.changed == 1)
            #expect(shown.report?.listing?.people.map(\.name) == ["Bo Bergmann"])
            let nobody = try await scene.operator.ask(
                ShowImport(import: ImportReference(ImportReference.held), effect: .leaves), in: scene.maple)
            #expect(nobody.report?.listing?.people.isEmpty == true)
            let applied = try await scene.operator.perform(
                ImportRoster(.kept(ImportReference(plan)), approve: plan), in: scene.maple)
            let number = try #require(applied.answer.importID)
            let after = try await scene.operator.ask(
                ShowImport(import: ImportReference(Int64(number))), in: scene.maple)
            #expect(after.applied?.number == Int64(number) && after.report?.outcome == .applied)
            await #expect(throws: OperationError.self) {
                try await scene.operator.ask(ShowImport(import: ImportReference(plan)), in: scene.maple)
            }
        }
    }

    @Test("people in the console have jobs of their own, which nobody else sees and which end with their sessions")
    func jobs() async throws {
        try await Scene.with(.sqlite) { scene in
            let (head, other) = (
                try await scene.holder(of: .administrator, at: nil), try await scene.holder(of: .siteManager, at: nil)
            )
            let administrator = scene.administrator(.person(head.id))
            let archive = try RosterTexts().archive()
            let job = try await administrator.begin(ImportRoster(.archive(archive), hold: true), in: scene.maple)
            #expect(try await administrator.job(job, in: scene.maple).state == .waiting)
            await #expect(throws: OperationError.self) {
                try await scene.administrator(.person(other.id)).job(job, in: scene.maple)
            }
            let worker = JobWorker(database: scene.database, services: scene.services)
            try await worker.work()
            let record = try await administrator.job(job, in: scene.maple)
            #expect(try record.done(ImportRoster.self)?.answer.outcome == .held)
            #expect(try record.done(UndoImport.self) == nil)
            let late = try await administrator.begin(ImportRoster(.archive(archive), hold: true), in: scene.maple)
            _ = try await scene.operator.perform(SignOutPerson(person: PersonReference(head.id)), in: scene.maple)
            try await worker.work()
            #expect(try await administrator.job(late, in: scene.maple).failure?.kind == .unauthorized)
        }
    }

    @Test("a preview lists the people whom an import concerns, and the trail tells who saw it")
    func preview() async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try await scene.holder(of: .administrator, at: nil)
            let trail = try await scene.trail().count
            let preview = try await scene.administrator(.person(head.id)).preview(
                ImportRoster(.archive(try RosterTexts().archive()), list: .init(effects: [.comes], limit: 2)))
            let report = try JSONDecoder.administration.decode(
                ImportReport.self, from: JSONEncoder.administration.encode(preview.answer))
            #expect(report.outcome == .planned && report.listing?.people.map(\.name) == ["Ana Núñez", "Bo Berg"])
            #expect(report.listing?.next != nil)
            let counts = ["locations +1", "students +2", "staff +1", "courses +1", "classes +1", "memberships +2"]
            #expect(preview.effects.map(\.detail) == [counts.map { "\($0) ~0 -0" }.joined(separator: ", ")])
            let organization = scene.school.organization.id.rawValue
            #expect(
                try await scene.trail().dropFirst(trail) == [
                    "person:\(head.id.rawValue) administration.read organization:\(organization) done import.run; preview; everybody"
                ])
        }
    }

    @Test("what is no archive is told as a defect, and changes nothing")
    func defective() async throws {
        try await Scene.with(.sqlite) { scene in
            let before = try await scene.people()
            let done = try await scene.operator.perform(ImportRoster(.archive(Data("no ZIP".utf8))), in: scene.maple)
            #expect(done.answer.outcome == .defective && done.answer.errorCount > 0 && done.effects.isEmpty)
            #expect(done.answer.defects.first?.file == "archive.zip")
            var files = RosterTexts()
            files.rosters.append("3,K-9,S-1")
            #expect(try await scene.importRoster(files).answer.outcome == .defective)
            #expect(try await scene.people() == before)
            #expect(try await scene.count("import_files") == 0)
        }
    }

    @Test("the files are sealed, and are gone after their time", arguments: TestDatabase.available)
    func sealed(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = RosterTexts()
            // Random names do not get smaller in the archive, so that it has several parts.
            func name() -> String {
                Data(scene.school.fixed.surroundings.randomBytes(740)).base64EncodedString().filter(\.isLetter)
            }
            files.students = (1...2_000).map { "S-\($0),L-1,Pupil,Number\($0),\(name()),,4,,," }
            files.rosters = []
            #expect(try await scene.importRoster(files).answer.outcome == .applied)
            let parts = try await scene.database.read { transaction in
                try transaction.all("SELECT sealed FROM import_files_part ORDER BY number") { try $0[0] as [UInt8] }
            }
            #expect(parts.count > 1)
            #expect(parts.allSatisfy { Data($0).range(of: Data("students.csv".utf8)) == nil })
            let (_, only) = try await scene.lastImports()
            #expect(
                try await scene.operator.ask(CompareImports(import: only, from: only), in: scene.maple)
                    .counts["students"]?.unchanged == 2_000)
            await #expect(throws: MasterKey.Problem.doesNotFit) {
                try await scene.with(Scene.services(of: scene.school, under: Scene.masterKey(of: 9))).operator
                    .ask(CompareImports(import: only, from: only), in: scene.maple)
            }

            let now = scene.school.fixed.now
            let end = now.addingTimeInterval(Double(ImportFiles.days) * 86_400)
            for (time, isOld) in [(end.addingTimeInterval(-1), false), (end, true)] {
                #expect(try await scene.database.read { try ImportFiles.hasOld(at: time, in: $0) } == isOld)
            }
            try await scene.database.write { try ImportFiles.deleteOld(at: end, in: $0) }
            #expect(try await scene.count("import_files_part") == 0)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(ImportRoster(.kept(only)), in: scene.maple)
            }
        }
    }

    @Test(
        "files that may name somebody who is erased go with the person, and later ones stay",
        arguments: TestDatabase.available)
    func erasing(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = RosterTexts()
            files.students += (3...9).map { "S-\($0),L-1,Pupil,Number\($0),,,4,,," }
            #expect(try await scene.importRoster(files).answer.outcome == .applied)
            scene.school.fixed.advance(by: 3_600)
            var without = files
            without.students.remove(at: 1)
            without.rosters.removeLast()
            #expect(try await scene.forceImport(without).outcome == .applied)
            // Files of the next day could be of an import that began before.
            scene.school.fixed.advance(by: 2 * 86_400)
            without.students[0] = "S-1,L-1,Anna,Núñez,,,4,,,"
            #expect(try await scene.forceImport(without).outcome == .applied)
            let bo = try #require(
                try await scene.database.read { try Person.find(sourceID: "S-2", in: scene.school.organization.id, $0) }
            )
            // The files of a held import may name anybody.
            var other = without
            other.students.removeAll()
            other.rosters.removeAll()
            #expect(try await scene.importRoster(other).answer.outcome == .held)
            #expect(try await scene.count("import_files") == 4)
            let preview = try await scene.operator.preview(ErasePerson(person: PersonReference(bo.id)), in: scene.maple)
            _ = try await scene.operator.perform(
                ErasePerson(person: PersonReference(bo.id)), in: scene.maple, ifVersion: preview.version)
            let kept = try await scene.operator.ask(ListImports(), in: scene.maple).imports
            #expect(kept.map(\.filesAreKept) == [true, false, false])
            #expect(try await scene.count("import_files") == 1)
        }
    }

    @Test(
        "files that are kept are imported as they came, and whoever says otherwise is refused",
        arguments: TestDatabase.available)
    func asTheyCame(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.operator.perform(
                AddTerm(name: "2026/27", firstDay: "2026-08-17", lastDay: "2027-07-02"), in: scene.maple)
            var large = RosterTexts()
            large.students = (1...80).map { "S-\($0),L-1,Pupil,Number\($0),,,4,,," }
            large.rosters = []
            let archive = try large.archive()
            let first = try await scene.operator.perform(
                ImportRoster(.archive(archive), term: "2026/27"), in: scene.maple)
            #expect(first.answer.outcome == .applied)
            var small = large
            small.students = Array(large.students.prefix(20))
            let held = try await scene.operator.perform(
                ImportRoster(.archive(try small.archive()), newPeople: ["S-1"], term: "2026/27"), in: scene.maple
            ).answer
            #expect(held.outcome == .held)
            let files = ImportReference(ImportReference.held)
            for change in [
                ImportRoster(.kept(files), term: "2025/26"), ImportRoster(.kept(files), newPeople: ["S-2"]),
                ImportRoster(.kept(files), schools: [LocationReference("L-1")]),
                ImportRoster(.kept(files), schools: []),
            ] {
                await #expect(throws: OperationError.self) { try await scene.operator.perform(change, in: scene.maple) }
            }
            let applied = try await scene.operator.perform(
                ImportRoster(.kept(files), approve: held.planID, approveIdentities: held.planID), in: scene.maple)
            #expect(applied.answer.outcome == .applied && applied.answer.planID == held.planID)
        }
    }

    @Test(
        "whoever is erased while files that name them are imported does not come back",
        arguments: TestDatabase.available)
    func erasedMeanwhile(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = RosterTexts()
            files.students += (3...80).map { "S-\($0),L-1,Pupil,Number\($0),,,4,,," }
            try await scene.importRoster(files)
            let school = scene.school.organization.id
            for number in 3...12 {
                let id = "S-\(number)"
                let leaver = try #require(
                    try await scene.database.read { try Person.find(sourceID: id, in: school, $0) })
                let reference = PersonReference(leaver.id)
                _ = try await scene.operator.perform(DeactivatePerson(person: reference), in: scene.maple)
                files.students.append("S-\(100 + number),L-1,Pupil,Newcomer\(number),,,4,,,")
                let archive = try files.archive()
                async let imported = Self.outcome(of: archive, in: scene)
                async let erased = scene.operator.erase(reference, in: scene.maple)
                _ = try await erased
                // Nil where it was refused.
                #expect([.applied, .held, nil].contains(try await imported))
                let found = try await scene.database.read { transaction in
                    (
                        erased: try Person.find(leaver.id, in: transaction)?.isErased,
                        again: try Person.find(sourceID: id, in: school, transaction)
                    )
                }
                #expect(found.erased == true && found.again == nil, "\(id)")
                // Files of the next day do not name whoever has left.
                files.students.removeAll { $0.hasPrefix(id + ",") }
            }
            #expect(try await scene.importRoster(files).answer.outcome != .held)
            #expect(try await scene.operator.ask(ListErasures(), in: scene.maple).erasures.count == 10)
            #expect(try await scene.areTrailsWhole())
        }
    }

    /// - Returns: nil if it was refused
    private static func outcome(of archive: Data, in scene: Scene) async throws -> ImportReport.Outcome? {
        do {
            return try await scene.operator.perform(ImportRoster(.archive(archive)), in: scene.maple).answer.outcome
        } catch {
            guard OperationFailure(error) != nil else { throw error }
            return nil
        }
    }

    @Test("there is one source of the files, and one only")
    func sources() async throws {
        try await Scene.with(.sqlite) { scene in
            let neither = try JSONDecoder.administration.decode(ImportRoster.self, from: Data("{}".utf8))
            let both = try JSONDecoder.administration.decode(
                ImportRoster.self, from: Data(#"{"archive": "AAAA", "files": "1"}"#.utf8))
            for change in [neither, both] {
                await #expect(throws: OperationError.self) { try await scene.operator.perform(change, in: scene.maple) }
                await #expect(throws: OperationError.self) { try await scene.operator.preview(change, in: scene.maple) }
            }
            await #expect(throws: OperationError.notFound(.rosterImport, "7", in: nil)) {
                try await scene.operator.perform(ImportRoster(.kept(ImportReference(7))), in: scene.maple)
            }
        }
    }
}

extension Scene {
    fileprivate func people() async throws -> [String] {
        let organization = school.organization.id
        return try await database.read { transaction in
            try Person.page(of: organization, limit: 1_000, in: transaction).map { person in
                "\(person.userName) \(person.givenName) \(person.familyName) \(person.state) \(person.sourceID ?? "-")"
            }
        }
    }

    /// Imports, and approves the plan if it is held.
    fileprivate func forceImport(_ files: RosterTexts) async throws -> ImportReport {
        let report = try await importRoster(files).answer
        guard report.outcome == .held else { return report }
        return try await importRoster(files, approving: report.planID).answer
    }

    fileprivate func count(_ table: String) async throws -> Int {
        try await database.read { try $0.first("SELECT COUNT(*) FROM \(table)") { try $0[0] } } ?? 0
    }
}
