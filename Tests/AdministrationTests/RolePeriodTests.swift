import AdministrationExamples
import Directory
import Fixtures
import Foundation
import RosterFiles
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

    private struct Issued {
        let names: [String]
        let leftOut: [String]
        let kept: Int
    }

    /// Gives passwords; whoever is left out must be so because the role is over.
    private static func issue(_ change: IssuePasswords, in scene: Scene) async throws -> Issued {
        let done = try await scene.operator.perform(change, in: scene.maple)
        let over = done.answer.leftOut.filter { $0.reason == .over }
        #expect(over == done.answer.leftOut)
        return Issued(
            names: done.answer.people.map(\.userName).sorted(), leftOut: over.map(\.userName).sorted(),
            kept: done.answer.keptTheirs)
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
                    let privileges = state == .current ? role.usualPrivileges : []
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

    @Test(
        "passwords go to who holds the role, or will; lists have everybody with the role in the record",
        arguments: TestDatabase.available)
    func passwords(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (main, annex) = (scene.school.location.id, scene.annex.id)
            func insert(_ name: String, from: String? = nil, until: String? = nil) async throws -> Person {
                let person = try await scene.school.insertPerson(name)
                _ = try await scene.operator.perform(
                    Self.give(.instructor, to: person, at: annex, from: from, until: until))
                return person
            }
            let past = try await insert("past", until: "2026-09-03")
            let current = try await insert("current", until: Self.until)
            let coming = try await insert("coming", from: "2027-01-01")
            let settled = try await insert("settled", until: "2026-09-03")
            try await scene.school.setPassword(of: settled, to: "maple-leaf-8")
            // Over here, and lasting elsewhere.
            let both = try await insert("both", until: "2026-09-03")
            _ = try await scene.operator.perform(Self.give(.staff, to: both, at: main))
            // Teaches in a class, although the only role is over.
            _ = try await scene.school.insertClass("Together", instructors: [past, current])
            try Self.set(scene, to: "2026-09-10T12:00:00Z")

            let all = [past, current, coming, settled, both].map(\.userName)
            for list in [
                ListPeople(role: .instructor), ListPeople(role: .instructor, at: LocationReference(annex)),
                ListPeople(at: LocationReference(annex)),
            ] {
                let found = try await scene.operator.ask(list, in: scene.maple).people
                #expect(Set(found.map(\.userName)) == Set(all))
                #expect(found.first { $0.userName == past.userName }?.roles.first?.until?.text == "2026-09-03")
            }
            let asked = IssuePasswords(class: ClassReference("Together"))
            let preview = try await scene.operator.preview(asked, in: scene.maple)
            let shown: [String] = preview.effects.map(\.subject)
            #expect(shown.contains(current.auditName) && !shown.contains(past.auditName))
            let teaching = try await Self.issue(asked, in: scene)
            #expect(teaching.names == [current.userName] && teaching.leftOut == [past.userName])
            #expect(teaching.kept == 0)
            let here = try await Self.issue(
                IssuePasswords(at: LocationReference(annex), role: .instructor), in: scene)
            #expect(here.names == [coming.userName] && here.leftOut == [both, past].map(\.userName).sorted())
            #expect(here.kept == 1)
            // Those who keep theirs are counted only where they could get another one.
            let replaced = try await Self.issue(IssuePasswords(role: .instructor, all: true), in: scene)
            #expect(replaced.names == [coming, current].map(\.userName).sorted())
            #expect(replaced.leftOut == [both, past, settled].map(\.userName).sorted() && replaced.kept == 0)
            // Any role that is not over will do, if none is asked for.
            let rest = try await Self.issue(IssuePasswords(), in: scene)
            #expect(rest.names.contains(both.userName) && rest.leftOut == [past.userName])
            // One person is given a password all the same: whoever names somebody means them.
            _ = try await scene.operator.perform(IssuePassword(person: PersonReference(past.id)))
        }
    }

    @Test(
        "an import that names a role with days leaves it its days, also when it is taken back",
        arguments: TestDatabase.available)
    func imports(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.importRoster()
            let tess = PersonReference("T-1")
            func roles() async throws -> [String] {
                try await scene.operator.ask(ShowPerson(person: tess), in: scene.maple).roles
                    .map { "\($0.role) \($0.from?.text ?? "-") \($0.until?.text ?? "-")" }
            }
            let given = try await roles()
            #expect(given.count == 1 && given[0].hasSuffix(" - -"))
            let role = try #require(try await scene.operator.ask(ShowPerson(person: tess), in: scene.maple).roles.first)
            let place = LocationReference("L-1")
            let dated = AddRole(person: tess, role: role.role, at: place, from: Self.from, until: Self.until)
            _ = try await scene.operator.perform(dated, in: scene.maple)
            let days = ["\(role.role) \(Self.from) \(Self.until)"]
            #expect(try await roles() == days)

            // The same files again, others that change the person, before the first day, within, and after the last.
            for time in ["2026-09-02T12:00:00Z", "2026-09-15T12:00:00Z", "2026-10-01T12:00:00Z"] {
                try Self.set(scene, to: time)
                _ = try await scene.importRoster()
                #expect(try await roles() == days)
                var files = RosterTexts()
                files.staff = ["T-1,7,Tess,,Teacher,,,L-1"]
                let changed = try await scene.importApproved(files)
                #expect(changed.answer.outcome == .applied)
                #expect(try await roles() == days)
                _ = try await scene.operator.undo(try #require(changed.change))
                #expect(try await roles() == days)
            }

            // Files that name the person no more deactivate them, and bring them back with their days.
            var without = RosterTexts()
            without.staff = ["T-2,,Theo,,Other,,,L-1"]
            without.classes = ["K-1,1,C-1,T-2,L-1"]
            let end = try await scene.importApproved(without)
            #expect(end.answer.outcome == .applied)
            #expect(try await scene.operator.ask(ShowPerson(person: tess), in: scene.maple).state == .deactivated)
            #expect(try await roles() == days)
            _ = try await scene.operator.undo(try #require(end.change))
            #expect(try await scene.operator.ask(ShowPerson(person: tess), in: scene.maple).state != .deactivated)
            #expect(try await roles() == days)
        }
    }

    @Test(
        "a role with days that was taken away since does not come back, without days, with an import that is taken back",
        arguments: TestDatabase.available)
    func takenAway(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.importRoster()
            let tess = PersonReference("T-1")
            let held = try #require(try await scene.operator.ask(ShowPerson(person: tess), in: scene.maple).roles.first)
            // At another school by hand, which the next files name too.
            var files = RosterTexts()
            files.locations.append("L-2,Maple Middle")
            let both = try await scene.importRoster(files)
            #expect(both.answer.outcome == .applied)
            let place = LocationReference("L-2")
            _ = try await scene.operator.perform(
                AddRole(person: tess, role: held.role, at: place, until: Self.until), in: scene.maple)
            files.staffColumns += ",location_id_2"
            files.staff = ["T-1,,Tess,,Teacher,,,L-1,L-2"]
            let named = try await scene.importApproved(files)
            #expect(named.answer.outcome == .applied)
            func places() async throws -> [String?] {
                try await scene.operator.ask(ShowPerson(person: tess), in: scene.maple).roles.map(\.location)
            }
            let before = try await places()
            #expect(Set(before) == ["Maple Elementary", "Maple Middle"])
            _ = try await scene.operator.perform(RemoveRole(person: tess, role: held.role, at: place), in: scene.maple)
            _ = try await scene.operator.undo(try #require(named.change))
            #expect(try await places() == ["Maple Elementary"])
        }
    }

    @Test(
        "a role that is over keeps no location that the files name no more; one that counts, or will, does",
        arguments: TestDatabase.available)
    func locations(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = RosterTexts()
            files.locations.append("L-2,Maple Middle")
            try await scene.importRoster(files)
            let helper = PersonReference(try await scene.school.insertPerson("helper").id)
            let place = LocationReference("L-2")
            func outcome() async throws -> ImportReport {
                let report = try await scene.importRoster().answer
                guard report.outcome == .held else { return report }
                return try await scene.importRoster(approving: report.planID).answer
            }
            for (from, until) in [("2027-01-01", nil), (nil, "2026-09-03")] as [(String?, String?)] {
                _ = try await scene.operator.perform(
                    AddRole(person: helper, role: .staff, at: place, from: from, until: until), in: scene.maple)
                let kept = try await outcome()
                #expect(kept.outcome == .defective && kept.defects.map(\.code) == [.locationInUse])
            }
            try Self.set(scene, to: "2026-09-10T12:00:00Z")
            #expect(try await outcome().outcome == .applied)
            let left = try await scene.operator.ask(ListLocations(), in: scene.maple).locations.map(\.name)
            #expect(!left.contains("Maple Middle") && left.contains("Maple Elementary"))
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
