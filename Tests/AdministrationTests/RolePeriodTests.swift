import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import Administration

/// Roles that count from one day to another. The clock of the scene begins at 2026-09-01, 8:00 UTC.
@Suite struct RolePeriodTests {
    private static let (from, until) = ("2026-09-10", "2026-09-20")

    /// Times around a role of 10 to 20 September: days begin first 14 hours before UTC, and end last 12 hours after it.
    private static let times: [(time: String, state: RolePeriod.State)] = [
        ("2026-09-09T09:59:59Z", .coming), ("2026-09-09T10:00:00Z", .current), ("2026-09-10T12:00:00Z", .current),
        ("2026-09-20T12:00:00Z", .current), ("2026-09-21T11:59:59Z", .current), ("2026-09-21T12:00:00Z", .past),
    ]

    /// Moves the clock, forwards or back.
    private static func set(_ scene: Scene, to time: String) throws {
        let time = try Date(time, strategy: .iso8601)
        scene.school.fixed.advance(by: time.timeIntervalSince(scene.school.fixed.now))
    }

    private static func give(
        _ role: Role, to person: Person, at place: LocationID? = nil, from: String? = nil, until: String? = nil
    ) -> AddRole {
        AddRole(
            person: PersonReference(person.id), role: role, at: place.map { LocationReference($0) }, from: from,
            until: until)
    }

    /// The Administrator whom the scene has, at the main location.
    private static func head(of scene: Scene) async throws -> Person {
        let found = try await scene.operator.ask(ListPeople(role: .administrator)).people.map(\.number)
        return try #require(
            try await scene.database.read { transaction in
                try found.first.flatMap { try Person.find(PersonID(rawValue: $0), in: transaction) }
            })
    }

    @Test("a role gives its privileges on its days, and none before and after", arguments: TestDatabase.available)
    func privileges(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let main = scene.school.location.id
            var holders: [(role: Role, person: Person)] = []
            for role in Role.allCases {
                let person = try await scene.school.insertPerson("dated-\(role.rawValue)")
                _ = try await scene.operator.perform(
                    Self.give(role, to: person, at: main, from: Self.from, until: Self.until))
                holders.append((role, person))
            }
            for (time, state) in Self.times {
                try Self.set(scene, to: time)
                let now = scene.school.fixed.now
                for (role, person) in holders {
                    let (authority, looksAfter) = try await scene.database.read { transaction in
                        (
                            try Authority.of(person.id, at: now, in: transaction),
                            try Authority.looksAfterSomething(person, at: now, in: transaction)
                        )
                    }
                    let privileges = state == .current ? role.privileges : []
                    #expect(authority.privileges == privileges.union([.joinTeams]), "\(role) at \(time)")
                    #expect(looksAfter == !privileges.isEmpty, "\(role) at \(time)")
                }
            }
        }
    }

    @Test("whoever is signed in, and whoever has a token, loses the role with the next request")
    func nextRequest() async throws {
        try await Scene.with(.sqlite) { scene in
            let main = scene.school.location.id
            let manager = try await scene.school.insertPerson("manager")
            _ = try await scene.operator.perform(Self.give(.manager, to: manager, at: main, until: Self.until))
            let version = try await scene.database.read { try SignInVersion.current(of: manager.id, in: $0) }
            let callers: [Administrator.Caller] = [
                .person(manager.id),
                .holder(TokenHolder(.person(manager.id, try #require(version)), [.readPeople, .managePeople])),
            ]
            let change = RemoveRole(person: PersonReference(scene.pupil.id), role: .staff, at: LocationReference(main))
            for (time, isAllowed) in [("2026-09-21T11:59:59Z", true), ("2026-09-21T12:00:00Z", false)] {
                try Self.set(scene, to: time)
                for caller in callers {
                    let administrator = scene.administrator(caller)
                    if isAllowed {
                        #expect(try await administrator.ask(ListPeople()).people.count >= 2)
                        _ = try await administrator.perform(Self.give(.staff, to: scene.pupil, at: main))
                        _ = try await administrator.perform(change)
                    } else {
                        let before = try await scene.state()
                        await #expect(throws: OperationError.forbidden(.readPeople)) {
                            try await administrator.ask(ListPeople())
                        }
                        await #expect(throws: OperationError.forbidden(.managePeople)) {
                            try await administrator.perform(Self.give(.staff, to: scene.pupil, at: main))
                        }
                        #expect(try await scene.state() == before)
                    }
                }
            }
        }
    }

    @Test("who decides for apps, and whom people can ask, is asked for the day", arguments: TestDatabase.available)
    func sharing(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let organization = scene.school.organization.id
            let chief = try await scene.school.insertPerson("chief")
            _ = try await scene.operator.perform(
                Self.give(.siteManager, to: chief, from: Self.from, until: Self.until))
            for (time, state) in Self.times {
                try Self.set(scene, to: time)
                let now = scene.school.fixed.now
                let (roles, deciding, contacts) = try await scene.database.read { transaction in
                    (
                        try chief.rolesThatShareData(at: now, in: transaction),
                        try Person.list(decidingWith: [.siteManager], for: organization, at: now, in: transaction),
                        try Organization.contacts(for: .dataSharing, of: organization, at: now, in: transaction)
                    )
                }
                let counts = state == .current
                #expect(roles == (counts ? [.siteManager] : []), "\(time)")
                #expect(deciding.map(\.id) == (counts ? [chief.id] : []), "\(time)")
                #expect(contacts.contains { $0.role == .siteManager } == counts, "\(time)")
            }
        }
    }

    @Test("apps see a role on its days, and that the record has changed", arguments: TestDatabase.available)
    func roster(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let organization = scene.school.organization.id
            let teacher = try await scene.school.insertPerson("teacher")
            _ = try await scene.operator.perform(
                Self.give(.instructor, to: teacher, from: Self.from, until: Self.until))
            let given = scene.school.fixed.now
            for (time, state) in Self.times {
                try Self.set(scene, to: time)
                let now = scene.school.fixed.now
                let (found, listed) = try await scene.database.read { transaction in
                    (
                        try RosterPerson.find(
                            teacher.id, in: organization, through: .everything, at: now, transaction),
                        try RosterPerson.page(
                            of: organization, role: .instructor, through: .everything, after: .none, limit: 9, at: now,
                            in: transaction)
                    )
                }
                let counts = state == .current
                #expect(found?.roles.map(\.role) == (counts ? [.instructor] : []), "\(time)")
                #expect(listed.map(\.id) == (counts ? [teacher.id] : []), "\(time)")
                let turn: String? =
                    switch state {
                    case .coming: nil
                    case .current: "2026-09-09T10:00:00Z"
                    case .past: "2026-09-21T12:00:00Z"
                    }
                let changed = try turn.map { try Date($0, strategy: .iso8601) } ?? given
                #expect(found?.modifiedAt == changed, "\(time)")
            }
        }
    }

    @Test("a school keeps an Administrator without end", arguments: TestDatabase.available)
    func lastAdministrator(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (head, main) = (try await Self.head(of: scene), scene.school.location.id)
            func refuses(_ change: some Change, _ error: DirectoryError) async throws {
                let before = try await scene.state()
                let thrown = await #expect(throws: (any Error).self) { try await scene.operator.perform(change) }
                let told = thrown.map { "\($0)" } ?? ""
                #expect(told.contains(error.description), "\(told)")
                #expect(try await scene.state() == before)
            }
            let ending = DirectoryError.endingAdministrator(head.fullName)
            try await refuses(Self.give(.administrator, to: head, at: main, until: Self.until), ending)
            try await refuses(
                Self.give(.administrator, to: head, at: main, from: "2027-01-01"), .lastAdministrator(head.fullName))
            // At another place as well, the role would only be one that ends: the first one has none.
            _ = try await scene.operator.perform(Self.give(.administrator, to: head, until: Self.until))

            // One whose role ends, and one whose role has not begun, do not count.
            let deputy = try await scene.school.insertPerson("deputy")
            let next = try await scene.school.insertPerson("next")
            _ = try await scene.operator.perform(Self.give(.administrator, to: deputy, until: Self.until))
            _ = try await scene.operator.perform(Self.give(.administrator, to: next, from: Self.from))
            let headReference = PersonReference(head.id)
            let last = DirectoryError.lastAdministrator(head.fullName)
            try await refuses(Self.give(.administrator, to: head, at: main, until: Self.until), ending)
            try await refuses(
                RemoveRole(person: headReference, role: .administrator, at: LocationReference(main)), last)
            try await refuses(DeactivatePerson(person: headReference), last)

            // From its first day on the one without end does.
            try Self.set(scene, to: "2026-09-10T12:00:00Z")
            _ = try await scene.operator.perform(Self.give(.administrator, to: head, at: main, until: Self.until))
            _ = try await scene.operator.perform(DeactivatePerson(person: headReference))
            try await refuses(
                Self.give(.administrator, to: next, from: Self.from, until: Self.until),
                .endingAdministrator(next.fullName))
            // What is over is taken away at any time.
            try Self.set(scene, to: "2026-10-01T12:00:00Z")
            _ = try await scene.operator.perform(
                RemoveRole(person: PersonReference(deputy.id), role: .administrator, at: nil))
        }
    }

    @Test("new days replace the former ones, and are taken back", arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let person = PersonReference(scene.pupil.id)
            func days() async throws -> [String] {
                try await scene.operator.ask(ShowPerson(person: person)).roles.filter { $0.role == .staff }
                    .map { "\($0.from?.text ?? "-") \($0.until?.text ?? "-")" }
            }
            let given = try await scene.operator.perform(
                Self.give(.staff, to: scene.pupil, from: Self.from, until: Self.until))
            #expect(
                given.effects.map(\.detail)
                    == ["role staff at the organization added from 2026-09-10 until 2026-09-20"])
            #expect(try await days() == ["2026-09-10 2026-09-20"])

            let preview = try await scene.operator.preview(Self.give(.staff, to: scene.pupil, until: "2026-12-31"))
            let changes =
                "role staff at the organization counts from 2026-09-10 until 2026-09-20 → until 2026-12-31"
            #expect(preview.effects.map(\.detail) == [changes])
            #expect(try await days() == ["2026-09-10 2026-09-20"])
            let longer = try await scene.operator.perform(Self.give(.staff, to: scene.pupil, until: "2026-12-31"))
            #expect(longer.effects.map(\.detail) == [changes])
            #expect(try await days() == ["- 2026-12-31"])
            // Only the days have changed, and the version with them.
            #expect(longer.answer.version != given.answer.version)
            let isStale = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(
                    Self.give(.staff, to: scene.pupil), ifVersion: given.answer.version)
            }
            guard case .stale = isStale else {
                Issue.record("\(String(describing: isStale))")
                return
            }
            _ = try await scene.operator.undo(try #require(longer.change))
            #expect(try await days() == ["2026-09-10 2026-09-20"])

            // A role that is over stays with the record, and comes back with its days when its removal is taken back.
            try Self.set(scene, to: "2026-10-01T12:00:00Z")
            #expect(try await days() == ["2026-09-10 2026-09-20"])
            let removed = try await scene.operator.perform(RemoveRole(person: person, role: .staff, at: nil))
            #expect(try await days() == [])
            _ = try await scene.operator.undo(try #require(removed.change))
            #expect(try await days() == ["2026-09-10 2026-09-20"])
        }
    }

    @Test("days that are none, days in the wrong order and people of others are refused, and nothing is changed")
    func refused() async throws {
        try await Scene.with(.sqlite) { scene in
            let other = try await School.insert(in: scene.database, scene.school.fixed, name: "Oak")
            let foreign = try await other.insertPerson("foreign")
            let head = try await scene.holder(of: .administrator, at: nil)
            let administrator = scene.administrator(.person(head.id))
            let before = try await scene.state()
            for change in [
                Self.give(.staff, to: scene.pupil, from: Self.until, until: Self.from),
                Self.give(.staff, to: scene.pupil, from: "10 September"),
                Self.give(.staff, to: scene.pupil, until: "2026-02-30"),
                Self.give(.staff, to: foreign, from: Self.from),
            ] {
                await #expect(throws: (any Error).self) { try await administrator.perform(change) }
                await #expect(throws: (any Error).self) { try await administrator.preview(change) }
            }
            #expect(try await scene.state() == before)
        }
    }

    @Test("an account whose role has not begun is managed as if it had", arguments: TestDatabase.available)
    func subjects(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let next = try await scene.school.insertPerson("next")
            _ = try await scene.operator.perform(Self.give(.administrator, to: next, from: Self.from))
            let manager = try await scene.holder(of: .peopleManager, at: nil)
            await #expect(throws: OperationError.self) {
                try await scene.administrator(.person(manager.id)).perform(
                    IssuePassword(person: PersonReference(next.id)))
            }
        }
    }

    @Test(
        "merged with a record whose Administrator role ends, the last one has none", arguments: TestDatabase.available)
    func merging(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (head, main) = (try await Self.head(of: scene), scene.school.location.id)
            let kept = try await scene.school.insertPerson("kept")
            _ = try await scene.operator.perform(
                Self.give(.administrator, to: kept, at: main, until: Self.until))
            func days() async throws -> [String] {
                try await scene.operator.ask(ShowPerson(person: PersonReference(kept.id))).roles
                    .map { "\($0.role) \($0.until?.text ?? "-")" }
            }
            let merged = try await scene.operator.perform(
                MergePeople(person: PersonReference(kept.id), other: PersonReference(head.id)))
            #expect(try await days() == ["administrator -"])
            _ = try await scene.operator.undo(try #require(merged.change))
            #expect(try await days() == ["administrator 2026-09-20"])
        }
    }

    @Test("the calendar has roles that end within weeks, until they are over", arguments: TestDatabase.available)
    func calendar(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let main = scene.school.location.id
            for (name, until) in [("a", Self.until), ("b", Self.until), ("c", "2027-06-30")] {
                _ = try await scene.operator.perform(
                    Self.give(.instructor, to: try await scene.school.insertPerson(name), at: main, until: until))
            }
            let due = try await scene.operator.ask(ListDueDates()).dates
            #expect(due.map(\.kind) == [.roleEnds] && due.map(\.on.text) == [Self.until] && due.map(\.count) == [2])
            #expect(due.first?.role == .instructor && due.first?.location == "Maple District Main")
            try Self.set(scene, to: "2026-09-21T11:59:59Z")
            #expect(try await scene.operator.ask(ListDueDates()).dates.map(\.count) == [2])
            try Self.set(scene, to: "2026-09-21T12:00:00Z")
            #expect(try await scene.operator.ask(ListDueDates()).dates == [])
        }
    }
}
