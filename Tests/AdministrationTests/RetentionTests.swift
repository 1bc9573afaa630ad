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

@Suite struct RetentionTests {
    private static let day: TimeInterval = 86_400

    private static func sweep(_ scene: Scene) async throws {
        try await RetentionSweep(database: scene.database, services: scene.services).run()
    }

    private static func erased(_ scene: Scene) async throws -> [Int64] {
        try await scene.operator.ask(ListErasures()).erasures.map(\.number)
    }

    @Test("without a rule nobody is erased, however long ago they have left", arguments: TestDatabase.available)
    func noRule(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.school.deactivate(scene.pupil)
            scene.school.fixed.advance(by: 20_000 * Self.day)
            try await Self.sweep(scene)
            #expect(try await Self.erased(scene) == [])
            #expect(try await scene.operator.ask(ListRetention()).rules.map(\.days) == [nil, nil, nil, nil])
        }
    }

    @Test(
        "people who have left go when their days are over, and the preview has named them",
        arguments: TestDatabase.available)
    func leftPeople(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let late = try await scene.school.insertPerson("late", .student)
            let held = try await scene.school.insertPerson("held", .student)
            let app = try await scene.insertApp()
            try await scene.signIn(scene.pupil, to: app)
            for person in [scene.pupil, held] { try await scene.school.deactivate(person) }
            scene.school.fixed.advance(by: 20 * Self.day)
            try await scene.school.deactivate(late)
            _ = try await scene.operator.perform(
                AddHold(person: PersonReference(held.id), reason: "A court", until: "2099-12-31"))
            scene.school.fixed.advance(by: 10.5 * Self.day)

            let due = try await scene.operator.ask(ShowDue(kind: .leftPeople, days: 30))
            #expect(due.people.map(\.number) == [scene.pupil.id.rawValue, held.id.rawValue])
            #expect(due.people.map { $0.keptByHold != nil } == [false, true])
            let rule = try await scene.operator.perform(SetRetention(kind: .leftPeople, days: 30))
            #expect(rule.answer.due == 2)
            let dates = try await scene.operator.ask(ListDueDates()).dates.filter { $0.kind == .retentionIsDue }
            #expect(dates.map(\.count) == [1, 1])
            #expect(dates.map(\.on.text) == ["2026-10-01", "2026-10-21"])

            try await Self.sweep(scene)
            #expect(try await Self.erased(scene) == [scene.pupil.id.rawValue])
            let trail = try await scene.trail().filter { $0.contains("person.erased") }
            #expect(trail.allSatisfy { $0.hasPrefix("system person.erased person:\(scene.pupil.id.rawValue) done") })
            #expect(trail.count == 2)
            let told = try await scene.database.read {
                try $0.first("SELECT COUNT(*) FROM notification WHERE app_id = $1", [app.app.id]) { try $0[0] as Int }
            }
            #expect(told == 1)

            // Once a day is enough.
            scene.school.fixed.advance(by: 3_600)
            try await Self.sweep(scene)
            scene.school.fixed.advance(by: 20 * Self.day)
            try await Self.sweep(scene)
            #expect(try await Self.erased(scene) == [scene.pupil.id.rawValue, late.id.rawValue])
            // Taken back, the rule does nothing any more.
            _ = try await scene.operator.undo(try #require(rule.change))
            #expect(try await scene.operator.ask(ListRetention()).rules.first?.days == nil)
        }
    }

    @Test("whoever has come back, or is in use, is not touched")
    func cameBack() async throws {
        try await Scene.with(.sqlite) { scene in
            try await scene.school.deactivate(scene.pupil)
            scene.school.fixed.advance(by: 40 * Self.day)
            _ = try await scene.operator.perform(SetRetention(kind: .leftPeople, days: 30))
            _ = try await scene.operator.perform(ReactivatePerson(person: PersonReference(scene.pupil.id)))
            try await Self.sweep(scene)
            #expect(try await Self.erased(scene) == [])
        }
    }

    @Test("the calendar leaves out whom a hold keeps, and only as long as it does")
    func heldUntil() async throws {
        try await Scene.with(.sqlite) { scene in
            func due() async throws -> [Int?] {
                try await scene.operator.ask(ListDueDates()).dates.filter { $0.kind == .retentionIsDue }.map(\.count)
            }
            try await scene.school.deactivate(scene.pupil)
            _ = try await scene.operator.perform(SetRetention(kind: .leftPeople, days: 50))
            #expect(try await due() == [1])
            let lastDay = CalendarDay(scene.school.fixed.now).adding(days: 5)
            _ = try await scene.operator.perform(
                AddHold(person: PersonReference(scene.pupil.id), reason: "A court", until: lastDay.text))
            #expect(try await due() == [])
            scene.school.fixed.advance(by: 6 * Self.day)
            #expect(try await due() == [1])
        }
    }

    @Test("a hold of the whole organization stops all rules")
    func heldOrganization() async throws {
        try await Scene.with(.sqlite) { scene in
            try await scene.school.deactivate(scene.pupil)
            _ = try await scene.school.signIn(scene.school.insertPerson("cook", .staff))
            scene.school.fixed.advance(by: 40 * Self.day)
            for kind in RetentionRule.Kind.allCases {
                _ = try await scene.operator.perform(SetRetention(kind: kind, days: 30))
            }
            let hold = try await scene.operator.perform(AddHold(reason: "Audit", until: "2099-12-31")).answer.hold
            let before = try await scene.state()
            try await Self.sweep(scene)
            #expect(try await scene.state() == before)
            #expect(try await scene.operator.ask(ListRetention()).rules.allSatisfy { $0.stoppedByHold == hold })
            _ = try await scene.operator.perform(EndHold(hold: "\(hold)"))
            scene.school.fixed.advance(by: Self.day)
            try await Self.sweep(scene)
            #expect(try await Self.erased(scene) == [scene.pupil.id.rawValue])
        }
    }

    @Test(
        "accounts kept by hand that nobody uses are deactivated, but neither used ones nor the last Administrator",
        arguments: TestDatabase.available)
    func unusedAccounts(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let used = try await scene.school.insertPerson("used", .staff)
            let imported = try await scene.school.insertPerson("imported", .student)
            try await scene.database.write {
                try $0.execute("UPDATE person SET source = 'csv', source_id = 'S-1' WHERE id = $1", [imported.id])
            }
            scene.school.fixed.advance(by: 100 * Self.day)
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            try await scene.database.write { transaction in
                try AuditEntry(
                    .signIn, by: .person(used.id), on: "person:\(used.id.rawValue)", outcome: .done, from: .system
                ).append(to: organization, at: now, in: transaction)
            }
            scene.school.fixed.advance(by: 20 * Self.day)
            _ = try await scene.operator.perform(SetRetention(kind: .unusedAccounts, days: 90))
            let due = try await scene.operator.ask(ShowDue(kind: .unusedAccounts)).people.map(\.userName)
            #expect(due == ["head@maple.example", "pupil@maple.example"])
            try await Self.sweep(scene)
            let states = try await scene.operator.ask(ListPeople()).people.map { "\($0.userName) \($0.state)" }
            #expect(
                states == [
                    "head@maple.example new", "pupil@maple.example deactivated", "used@maple.example new",
                    "imported@maple.example new",
                ])
        }
    }

    @Test(
        "traces of sign-ins, old imports and the files of imports go, and what is in use or the newest stays",
        arguments: TestDatabase.available)
    func rows(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let held = try await scene.school.insertPerson("held", .student)
            let (organization, start) = (scene.school.organization.id, scene.school.fixed.now)
            func add(_ person: Person, _ mark: UInt8) async throws {
                let now = scene.school.fixed.now
                try await scene.database.write {
                    try $0.execute(
                        "INSERT INTO known_browser (browser_hash, person_id, used_at) VALUES ($1, $2, $3)",
                        [[UInt8](repeating: mark, count: 32), person.id, now])
                }
            }
            try await add(scene.pupil, 1)
            try await add(held, 2)
            scene.school.fixed.advance(by: 50 * Self.day)
            try await add(scene.pupil, 3)
            try await scene.database.write { transaction in
                for id in 1...3 {
                    try transaction.execute(
                        """
                        INSERT INTO roster_import (id, organization_id, digest, summary, applied_at)
                        VALUES ($1, $2, '', '{}', $3)
                        """, [id, organization, start])
                }
            }
            let recently = scene.school.fixed.now.addingTimeInterval(-29 * Self.day)
            // Those of an import that goes, of the newest one, of one that is held since long, and of one since lately.
            try await Self.keepFiles([(1, start), (3, start), (nil, start), (nil, recently)], in: scene)
            _ = try await scene.operator.perform(
                AddHold(person: PersonReference(held.id), reason: "A court", until: "2099-12-31"))
            for kind in [RetentionRule.Kind.sessions, .imports] {
                _ = try await scene.operator.perform(SetRetention(kind: kind, days: 30))
            }
            #expect(try await scene.operator.ask(ShowDue(kind: .sessions)).rows == 1)
            #expect(try await scene.operator.ask(ShowDue(kind: .imports)).rows == 5)
            try await Self.sweep(scene)
            let left = try await scene.database.read { transaction in
                (
                    try transaction.all("SELECT browser_hash FROM known_browser ORDER BY browser_hash") {
                        (try $0[0] as [UInt8])[0]
                    },
                    try transaction.all("SELECT id FROM roster_import") { try $0[0] as Int },
                    try transaction.all("SELECT id FROM import_files") { try $0[0] as Int },
                    try transaction.all("SELECT files_id FROM import_files_part") { try $0[0] as Int }
                )
            }
            #expect(left.0 == [2, 3])
            #expect(left.1 == [3])
            #expect(left.2 == [4] && left.3 == [4])
            #expect(try await scene.trail().filter { $0.hasPrefix("system retention.applied") }.count == 2)
        }
    }

    /// Keeps files, numbered from 1, of an import or of one that is held, since a time.
    private static func keepFiles(_ all: [(import: Int?, since: Date)], in scene: Scene) async throws {
        let organization = scene.school.organization.id
        try await scene.database.write { transaction in
            for (index, files) in all.enumerated() {
                let plan = files.import == nil ? "plan-\(index)" : nil
                try transaction.execute(
                    """
                    INSERT INTO import_files (id, organization_id, import_id, plan_id, kept_at, byte_count)
                    VALUES ($1, $2, $3, $4, $5, 3)
                    """, [index + 1, organization, files.import, plan, files.since])
                try transaction.execute(
                    "INSERT INTO import_files_part (files_id, number, sealed) VALUES ($1, 0, $2)",
                    [index + 1, [1, 2, 3] as [UInt8]])
            }
        }
    }

    @Test("days are from 1 to 36 500, and a rule is not set twice", arguments: [0, -1, 36_501])
    func badDays(_ days: Int) async throws {
        try await Scene.with(.sqlite) { scene in
            let before = try await scene.state()
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(SetRetention(kind: .leftPeople, days: days))
            }
            await #expect(throws: OperationError.self) {
                try await scene.operator.ask(ShowDue(kind: .leftPeople, days: days))
            }
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(SetRetention(kind: .leftPeople, days: nil))
            }
            #expect(try await scene.state() == before)
        }
    }
}
