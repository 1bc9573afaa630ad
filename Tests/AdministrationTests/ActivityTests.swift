import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

/// Numbers of each day, which are counted from the trail and are what the trail says.
@Suite struct ActivityTests {
    /// Writes entries as sign-ins and readings do.
    private static func append(
        _ action: AuditEntry.Action, times: Int = 1, outcome: AuditEntry.Outcome = .done, ids: String = "1-3",
        _ scene: Scene
    ) async throws {
        try await scene.database.write { transaction in
            for _ in 0..<times {
                try AuditEntry(
                    action, by: action == .rosterRead ? .client("com.example.quizzler") : .person(scene.pupil.id),
                    on: action == .rosterRead ? "users" : scene.pupil.auditName, outcome: outcome,
                    detail: action == .rosterRead ? "3 records, ids \(ids); scopes edu.users.read" : "", from: .system
                ).append(to: scene.school.organization.id, at: scene.school.fixed.now, in: transaction)
            }
        }
    }

    private static func days(_ scene: Scene, _ days: Int? = nil) async throws -> [ShowActivity.Day] {
        try await scene.operator.ask(ShowActivity(days: days), in: scene.maple).days
    }

    @Test(
        "sign-ins and records are counted by the day, each once, also by several servers at once",
        arguments: TestDatabase.available)
    func counts(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.giveConsent().app
            try await Self.append(.signIn, times: 4, scene)
            try await Self.append(.signIn, outcome: .refused, scene)
            try await Self.append(.signOut, scene)
            try await Self.append(.rosterRead, ids: "1-3,8", scene)
            scene.school.fixed.advance(by: 86_400)
            try await Self.append(.signIn, times: 2, scene)
            try await Self.append(.rosterRead, times: 3, scene)
            let counter = ActivityCounter(database: scene.database)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await counter.run() } }
                try await group.waitForAll()
            }
            try await counter.run()
            let days = try await Self.days(scene)
            #expect(days.count == 30)
            #expect(days.suffix(2).map(\.signIns) == [4, 2])
            #expect(days.suffix(2).map(\.recordsRead) == [4, 9])
            #expect(days.dropLast(2).allSatisfy { $0.signIns == 0 && $0.recordsRead == 0 })
            #expect(days.last?.day == CalendarDay(scene.school.fixed.now))
            let answer = try await scene.operator.ask(ShowActivity(days: 1), in: scene.maple)
            #expect(answer.apps.map(\.app) == [app.id.rawValue] && answer.apps.map(\.recordsRead) == [9])
            #expect(answer.apps.map(\.name) == [app.name])
            let consents = try await scene.operator.ask(ListConsents(), in: scene.maple).consents
            #expect(consents.map(\.recordsRead) == [13])
        }
    }

    @Test("a long trail is counted in parts, and what comes meanwhile is not lost")
    func parts() async throws {
        try await Scene.with(.sqlite) { scene in
            let counter = ActivityCounter(database: scene.database, batch: 3) { _ in 1 }
            try await Self.append(.signIn, times: 10, scene)
            try await counter.run()
            try await Self.append(.signIn, times: 5, scene)
            try await counter.run()
            let days = try await Self.days(scene, 1)
            #expect(days.map(\.signIns) == [15])
        }
    }

    @Test("numbers are forgotten after thirteen months")
    func memory() async throws {
        try await Scene.with(.sqlite) { scene in
            let counter = ActivityCounter(database: scene.database)
            func rows() async throws -> Int {
                try await scene.database.read { try $0.first("SELECT COUNT(*) FROM activity_day") { try $0[0] } ?? 0 }
            }
            try await Self.append(.signIn, scene)
            try await counter.run()
            scene.school.fixed.advance(by: 401 * 86_400)
            try await Self.append(.signIn, scene)
            try await counter.run()
            #expect(try await rows() == 1)
        }
    }

    @Test("too many days are refused", arguments: [0, 367, -1])
    func bounds(_ number: Int) async throws {
        try await Scene.with(.sqlite) { scene in
            await #expect(throws: OperationError.self) { try await Self.days(scene, number) }
        }
    }

    @Test(
        "the number of people is exact where counting is quick, and elsewhere that of the last count",
        arguments: TestDatabase.available)
    func people(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let organization = scene.school.organization.id
            func count(atOnce: Int) async throws -> Int {
                try await scene.database.read { try Person.count(of: organization, atOnce: atOnce, in: $0) }
            }
            let before = try await count(atOnce: 1_000)
            // Nobody has counted yet.
            #expect(try await count(atOnce: 1) == before)
            try await CountedRecords.countLarge(in: scene.database, above: 1)
            _ = try await scene.school.insertPerson("another", .student)
            #expect(try await count(atOnce: 1_000) == before + 1)
            #expect(try await count(atOnce: 1) == before)
            try await CountedRecords.countLarge(in: scene.database, above: 1)
            #expect(try await count(atOnce: 1) == before + 1)
        }
    }
}
