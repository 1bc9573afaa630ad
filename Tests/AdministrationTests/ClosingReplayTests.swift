import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

/// What lists of closings do to a database that was put in place, by ``ReplayErasures``.
@Suite struct ClosingReplayTests {
    private static let day: TimeInterval = 86_400
    /// On which day the copy is put in place. The history begins on day 0.
    private static let today = 20.0

    /// A closing or a reopening, and the day of it.
    struct Turn: Sendable, CustomStringConvertible {
        let action: ClosingRecord.Action
        let day: Double
        var description: String { "\(action == .closed ? "closed" : "reopened") on day \(day)" }
    }

    static func closed(_ day: Double) -> Turn { Turn(action: .closed, day: day) }
    static func reopened(_ day: Double) -> Turn { Turn(action: .reopened, day: day) }

    struct Case: Sendable, CustomStringConvertible {
        let description: String
        /// What the copy knows.
        let copy: [Turn]
        let list: [Turn]
        let outcome: ReplayErasures.Outcome?
        let isClosed: Bool

        init(
            _ description: String, copy: [Turn] = [], list: [Turn], _ outcome: ReplayErasures.Outcome?, isClosed: Bool
        ) {
            self.description = description
            self.copy = copy
            self.list = list
            self.outcome = outcome
            self.isClosed = isClosed
        }
    }

    static let cases = [
        Case("closed since", list: [closed(5)], .closed, isClosed: true),
        Case("closed and opened again since", list: [closed(5), reopened(6)], nil, isClosed: false),
        Case("the copy is of while it was closed", copy: [closed(5)], list: [closed(5)], nil, isClosed: true),
        Case(
            "the copy is of while it was closed, and it was opened since", copy: [closed(5)],
            list: [closed(5), reopened(6)], .reopened, isClosed: false),
        Case(
            "closed once more, and the copy is of before all that", list: [closed(5), reopened(6), closed(7)], .closed,
            isClosed: true),
        Case(
            "closed once more, and the copy is of while it was closed first", copy: [closed(5)],
            list: [closed(5), reopened(6), closed(7)], .closed, isClosed: true),
        Case(
            "closed once more, and the copy is of between", copy: [closed(5), reopened(6)],
            list: [closed(5), reopened(6), closed(7)], .closed, isClosed: true),
        Case("both in one second", list: [reopened(5), closed(5)], .closed, isClosed: true),
        Case(
            "opened in the second of the list's closing", copy: [closed(4), reopened(5)], list: [closed(5)], .closed,
            isClosed: true),
        Case(
            "opened by the list in the second of the closing", copy: [closed(5)], list: [reopened(5)], nil,
            isClosed: true),
        Case(
            "both in one second, which the copy knows", copy: [closed(5), reopened(5)], list: [closed(5), reopened(5)],
            nil, isClosed: false),
        Case(
            "the copy knows something newer", copy: [closed(5), reopened(8)], list: [closed(7)], nil, isClosed: false),
        Case("closed in the future", list: [closed(21)], nil, isClosed: false),
        Case("opened in the future", copy: [closed(15)], list: [reopened(21)], nil, isClosed: true),
        Case("closed by a clock that is a little ahead", list: [closed(20.002)], .closed, isClosed: true),
        Case("closed in the future, and once before", list: [closed(5), reopened(25)], .closed, isClosed: true),
        Case(
            "the copy's own reopening is of a wrong clock", copy: [closed(5), reopened(40)], list: [closed(7)], .closed,
            isClosed: true),
        Case(
            "the copy's own closing is of a wrong clock", copy: [closed(40)], list: [reopened(7)], nil, isClosed: true),
        Case("a list of an older version", copy: [], list: [], nil, isClosed: false),
    ]

    @Test("the newest counts, and closed where it is not clear", arguments: TestDatabase.available, cases)
    func newest(_ kind: TestDatabase, _ item: Case) async throws {
        try await Scene.with(kind) { scene in
            let replay = try await Replay(scene, copy: item.copy)
            let done = try await replay(item.list)
            #expect(done.outcome == item.outcome)
            let record = try await scene.operator.ask(ShowOrganization(), in: scene.maple)
            #expect((record.closedAt != nil) == item.isClosed)
            #expect((done.erasesOn != nil) == item.isClosed && done.organization == "Maple District")
            #expect(done.ahead.count == item.list.count { $0.day >= 21 })
            if item.outcome == .closed {
                let last = item.list.last { $0.action == .closed && $0.day < 21 }
                #expect(record.closedAt == last.map { replay.time($0.day) })
            }
            // Once more it changes nothing, neither by the list nor by what the next list says.
            let trail = try await scene.trail()
            #expect(try await replay(item.list).outcome == nil)
            #expect(try await replay(try await replay.list().filter { $0.at <= scene.school.fixed.now }).outcome == nil)
            #expect(try await scene.trail() == trail)
        }
    }

    @Test("lists count in whichever order they come", arguments: TestDatabase.available)
    func order(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let replay = try await Replay(scene, copy: [])
            #expect(try await replay([Self.closed(5)]).outcome == .closed)
            #expect(try await replay([Self.closed(5), Self.reopened(6)]).outcome == .reopened)
            #expect(try await replay([Self.closed(5)]).outcome == nil)
            // The reopening was done again today, and is of day 6 all the same.
            #expect(try await replay([Self.closed(7)]).outcome == .closed)
            #expect(
                try await replay.list().map { "\($0.action.rawValue) \($0.at)" }
                    == [Self.closed(5), Self.reopened(6), Self.closed(7)].map {
                        "\($0.action.rawValue) \(replay.time($0.day))"
                    })
            // What somebody does afterwards is newer than all of it.
            _ = try await scene.operator.perform(ReopenOrganization(), in: scene.maple)
            #expect(try await replay([Self.closed(7)]).outcome == nil)
            #expect(try await scene.operator.ask(ShowOrganization(), in: scene.maple).closedAt == nil)
        }
    }

    @Test(
        "nothing that is closed is erased within seven days, and it can be opened until then",
        arguments: TestDatabase.available)
    func grace(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let sweep = RetentionSweep(database: scene.database, services: scene.services)
            func people() async throws -> Int {
                try await scene.operator.ask(ListPeople(), in: scene.maple).people.count
            }
            // Its day was over while the copy lay there.
            let replay = try await Replay(scene, copy: [Self.closed(5)], eraseAfterDays: 7)
            let now = scene.school.fixed.now
            #expect(try await replay([ClosingRecord]()).outcome == .postponed)
            let record = try await scene.operator.ask(ShowOrganization(), in: scene.maple)
            #expect(record.erasesOn == CalendarDay(now).adding(days: 7) && record.closedAt == replay.time(5))
            try await sweep.run()
            #expect(try await people() == 2)
            _ = try await scene.operator.perform(ReopenOrganization(), in: scene.maple)

            for (wanted, days) in [(CalendarDay("2026-01-01"), 7), (nil, 30), (CalendarDay("2999-12-31"), 365)] {
                scene.school.fixed.advance(by: 1)
                let closing = ClosingRecord(
                    organization: replay.organization, action: .closed, at: scene.school.fixed.now, erasesOn: wanted)
                #expect(try await replay([closing]).erasesOn == CalendarDay(now).adding(days: days))
                scene.school.fixed.advance(by: 1)
                _ = try await scene.operator.perform(ReopenOrganization(), in: scene.maple)
            }
            scene.school.fixed.advance(by: 1)
            let closing = ClosingRecord(
                organization: replay.organization, action: .closed, at: scene.school.fixed.now,
                erasesOn: CalendarDay("2026-01-01"))
            #expect(try await replay([closing]).outcome == .closed)
            scene.school.fixed.advance(by: 6 * Self.day)
            try await sweep.run()
            #expect(try await people() == 2)
            scene.school.fixed.advance(by: 1 * Self.day)
            try await sweep.run()
            #expect(try await people() == 0)
            // What is erased to the end stays so.
            #expect(try await replay([Self.reopened(27)]).outcome == nil)
            #expect(try await scene.operator.ask(ShowOrganization(), in: scene.maple).erasedAt != nil)
        }
    }

    @Test(
        "apps are told of a closing once, and not if the list says that they were told",
        arguments: TestDatabase.available)
    func telling(_ kind: TestDatabase) async throws {
        for told in [nil, false, true] {
            try await Scene.with(kind) { scene in
                let app = try await scene.giveConsent()
                try await scene.signIn(scene.pupil, to: app)
                let replay = try await Replay(scene, copy: [])
                let closing = ClosingRecord(
                    organization: replay.organization, action: .closed, at: replay.time(5), appsAreTold: told)
                for outcome in [ReplayErasures.Outcome.closed, nil] {
                    #expect(try await replay([closing]).outcome == outcome)
                    // The roster's consent, and that of the pupil.
                    #expect(try await Self.notifications(scene) == (told == true ? 0 : 2))
                    try await Self.expectNothingLives(scene)
                }
                // A list that is written now says that they are told when nothing waits any more.
                #expect(try await replay.list().map(\.appsAreTold) == [told == true])
                _ = try await scene.database.write { try $0.execute("DELETE FROM notification") }
                #expect(try await replay.list().map(\.appsAreTold) == [true])
            }
        }
    }

    @Test(
        "apps are told all the same if the copy was used before the list came", arguments: TestDatabase.available)
    func tellingOfWhatCameLater(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let replay = try await Replay(scene, copy: [])
            let app = try await scene.giveConsent()
            try await scene.signIn(scene.pupil, to: app)
            _ = try await scene.operator.perform(SetOrganization.plum, in: scene.maple)
            let closing = ClosingRecord(
                organization: replay.organization, action: .closed, at: replay.time(5), appsAreTold: true)
            #expect(try await replay([closing]).outcome == .closed)
            #expect(try await Self.notifications(scene) == 2)
            try await Self.expectNothingLives(scene)
        }
    }

    @Test(
        "who still had to be told in the copy is not told when the list opens the organization again",
        arguments: TestDatabase.available)
    func reopening(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.giveConsent()
            try await scene.signIn(scene.pupil, to: app)
            try await scene.closeByRequest()
            let replay = Replay(scene)
            #expect(try await replay.list().map(\.appsAreTold) == [false])
            #expect(try await Self.notifications(scene) == 1)
            scene.school.fixed.advance(by: Self.day)
            #expect(try await replay([Self.reopened(0.5)]).outcome == .reopened)
            #expect(try await Self.notifications(scene) == 1)
            try await Self.expectNothingLives(scene)
        }
    }

    @Test(
        "the closing comes before the erasures, of which the last Administrator is one",
        arguments: TestDatabase.available)
    func erasures(_ kind: TestDatabase) async throws {
        for turns in [[Self.closed(5)], [Self.closed(5), Self.reopened(6)]] {
            try await Scene.with(kind) { scene in
                let head = try await scene.holder(of: .administrator, at: nil)
                let replay = try await Replay(scene, copy: [])
                let erasure = ReplayErasures.Item(
                    organization: replay.organization, number: head.id.rawValue, createdAt: head.createdAt,
                    erasedAt: replay.time(5.5))
                let done = try await scene.operator.perform(
                    ReplayErasures(erasures: [erasure], closings: turns.map(replay.record)), in: scene.maple)
                #expect(done.answer.erased == [head.id.rawValue])
                #expect(
                    done.effects.map(\.action)
                        == [turns.count == 1 ? "organization.closed" : "organization.reopened", "person.erased"])
            }
        }
    }

    @Test("a list of another organization, or one that is too long, changes nothing")
    func refused() async throws {
        try await Scene.with(.sqlite) { scene in
            let replay = try await Replay(scene, copy: [])
            let other = ClosingRecord(organization: "other", action: .closed, at: replay.time(5))
            for (closings, reason) in [
                ([other], "are not all of Maple District: give the list of one organization"),
                (Array(repeating: replay.record(Self.closed(5)), count: 10_001), "are more than 10000"),
            ] {
                await #expect(throws: OperationError.invalid(field: "closings", reason: reason)) {
                    try await replay(closings)
                }
            }
            #expect(try await scene.operator.ask(ShowOrganization(), in: scene.maple).closedAt == nil)
        }
    }

    private static func notifications(_ scene: Scene) async throws -> Int {
        try await scene.database.read { try $0.first("SELECT COUNT(*) FROM notification") { try $0[0] as Int } ?? 0 }
    }

    private static func expectNothingLives(_ scene: Scene) async throws {
        let (organization, pupil) = (scene.school.organization.id, scene.pupil.id)
        let (consents, signIns, isWaiting) = try await scene.database.read { transaction in
            (
                try Consent.list(of: organization, in: transaction).filter { $0.revokedAt == nil }.count,
                try SignInConsent.list(of: pupil, in: transaction).count,
                try Departure.isWaiting(for: organization, in: transaction)
            )
        }
        #expect(consents == 0 && signIns == 0 && !isWaiting)
    }
}

/// A copy that was put in place, and lists.
private struct Replay: Sendable {
    let scene: Scene
    private let begin: Date

    init(_ scene: Scene) {
        self.scene = scene
        begin = scene.school.fixed.now
    }

    /// Makes the history of the copy, and goes on to the day on which it is put in place.
    init(_ scene: Scene, copy: [ClosingReplayTests.Turn], eraseAfterDays: Int = 60) async throws {
        self.init(scene)
        for turn in copy {
            scene.school.fixed.advance(by: time(turn.day).timeIntervalSince(scene.school.fixed.now))
            switch turn.action {
            case .closed: try await scene.closeMaple(after: eraseAfterDays)
            case .reopened: _ = try await scene.operator.perform(ReopenOrganization(), in: scene.maple)
            }
        }
        scene.school.fixed.advance(by: time(20).timeIntervalSince(scene.school.fixed.now))
    }

    var organization: String { scene.school.organization.publicID }

    /// In whole seconds.
    func time(_ day: Double) -> Date {
        Date(timeIntervalSince1970: (begin.timeIntervalSince1970 + day * 86_400).rounded())
    }

    func record(_ turn: ClosingReplayTests.Turn) -> ClosingRecord {
        ClosingRecord(organization: organization, action: turn.action, at: time(turn.day))
    }

    func callAsFunction(_ turns: [ClosingReplayTests.Turn]) async throws -> ReplayErasures.Answer {
        try await self(turns.map(record))
    }

    func callAsFunction(_ closings: [ClosingRecord]) async throws -> ReplayErasures.Answer {
        try await scene.operator.perform(ReplayErasures(erasures: [], closings: closings), in: scene.maple).answer
    }

    /// What a list says that is written now.
    func list() async throws -> [ClosingRecord] {
        try #require(try await scene.operator.ask(ListErasures(), in: scene.maple).closings)
    }
}
