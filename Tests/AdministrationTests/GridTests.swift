import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

/// Who may do what, as ``Grid`` says it.
@Suite struct GridTests {
    @Test(
        "each role, held for all places, at the pupil's or at another one, may do what the grid says, and nothing else",
        arguments: Example.all)
    func grid(_ example: Example) async throws {
        let (together, alone) = Standing.shared(example)
        for standings in [together] + alone.map({ [$0] }) {
            try await Scene.with(.sqlite) { scene in
                let holders = try await scene.insert(standings)
                try await example.prepare(scene, scene.pupil)
                try await check(example, by: Array(zip(holders, standings.map { $0.may(example) })), in: scene)
            }
        }
    }

    @Test("whoever has a role at another place sees themselves in the list of people, and Instructors nobody")
    func listAtAnotherPlace() async throws {
        for role in Grid.allowedAtOwnPlace(ListPeople.name) {
            try await Scene.with(.sqlite) { scene in
                let holder = try await scene.holder(of: role, at: scene.annex.id, teaches: false)
                let seen = try await scene.administrator(.person(holder.id)).ask(ListPeople()).people.map(\.userName)
                #expect(seen == (role == .instructor ? [] : [holder.userName]))
            }
        }
    }

    @Test("only Administrators touch an Administrator", arguments: Example.all)
    func administrators(_ example: Example) async throws {
        let free: Set = [
            ShowPerson.name, ShowSignIns.name, ListPeople.name, ExplainAccess.name, AddPerson.name,
            DescribePerson.name, ListHolds.name,
            // A device that is gone is registered again; a code for one is another matter.
            ListDevices.name, ShowDevice.name, RemoveDevice.name, ShowSignOnProfile.name,
        ]
        let isAboutNobody = [
            "access.", "activity.", "api-client.", "app.", "audit.", "calendar.", "change.", "class.", "client.",
            "consent.",
            "domain.", "erasure.", "finding.", "id-map.", "import.", "key.", "location.", "mail.", "notification.",
            "organization.",
            "pick-up.", "realm.", "retention.", "role.", "sandbox.", "sender.", "sharing.", "signing-key.", "team.",
            "term.",
        ].contains {
            example.name.hasPrefix($0)
        }
        guard !free.contains(example.name), !isAboutNobody else { return }
        for roles in [Role.allCases.filter { $0 != .administrator }, [.administrator]] {
            try await Scene.with(.sqlite) { scene in
                let holders = try await scene.insert(roles.map { Standing(role: $0, place: .all) })
                try await scene.school.assign(.administrator, at: scene.school.location.id, to: scene.pupil)
                try await example.prepare(scene, scene.pupil)
                try await check(example, by: holders.map { ($0, roles == [.administrator]) }, in: scene)
            }
        }
    }

    @Test("each role manages the roles that the grid says, and no others", arguments: Role.allCases)
    func managedRoles(_ role: Role) async throws {
        let managed = try #require(Grid.managed[role])
        for other in Role.allCases {
            try await Scene.with(.sqlite) { scene in
                let holder = try await scene.holder(of: role, at: nil)
                // Instructors teach the pupil.
                let person =
                    other == .student ? scene.pupil : try await scene.school.insertPerson("managed", other)
                let (administrator, reference) = (scene.administrator(.person(holder.id)), PersonReference(person.id))
                func check(
                    _ isAllowed: Bool, _ privilege: Privilege, _ what: String, _ act: () async throws -> Void
                ) async throws {
                    let before = try await scene.state()
                    do {
                        try await act()
                        #expect(isAllowed, "\(role.rawValue) may \(what) \(other.rawValue)")
                        #expect(try await scene.state() != before)
                    } catch OperationError.forbidden(let missing) {
                        #expect(!isAllowed, "\(role.rawValue) may not \(what) \(other.rawValue)")
                        #expect(missing == privilege)
                        #expect(try await scene.state() == before)
                    }
                }
                let manages = managed.contains(other)
                try await check(manages, .issuePasswords, IssuePassword.name) {
                    _ = try await administrator.perform(IssuePassword(person: reference))
                }
                // What an Instructor does with pupils is to give them passwords (2.2 of the specification).
                let changes = manages && role != .instructor
                try await check(changes, .managePeople, AddRole.name) {
                    _ = try await administrator.perform(
                        AddRole(person: reference, role: other, at: LocationReference(scene.annex.id)))
                }
                try await check(changes, .managePeople, DeactivatePerson.name) {
                    _ = try await administrator.perform(DeactivatePerson(person: reference))
                }
            }
        }
    }

    @Test("an Instructor reaches the pupils of the own classes, and no colleague")
    func teachers() async throws {
        try await Scene.with(.sqlite) { scene in
            let teacher = try await scene.holder(of: .instructor, at: scene.school.location.id)
            let other = try await scene.school.insertPerson("other", .student)
            let colleague = try await scene.school.insertPerson("colleague", .instructor)
            let administrator = scene.administrator(.person(teacher.id))
            #expect(try await administrator.ask(ListPeople()).people.map(\.userName) == [scene.pupil.userName])
            for person in [other, colleague] {
                await #expect(throws: OperationError.forbidden(.issuePasswords)) {
                    try await administrator.perform(IssuePassword(person: PersonReference(person.id)))
                }
            }
            // A pupil who has become a colleague too is no pupil any more.
            try await scene.school.assign(.staff, at: nil, to: scene.pupil)
            await #expect(throws: OperationError.forbidden(.issuePasswords)) {
                try await administrator.perform(IssuePassword(person: PersonReference(scene.pupil.id)))
            }
        }
    }

    @Test("a manager of one place does not change people who are at another place too, but gives them passwords")
    func twoPlaces() async throws {
        try await Scene.with(.sqlite) { scene in
            let manager = try await scene.holder(of: .manager, at: scene.school.location.id)
            try await scene.school.assign(.student, at: scene.annex.id, to: scene.pupil)
            let (administrator, pupil) = (scene.administrator(.person(manager.id)), PersonReference(scene.pupil.id))
            await #expect(throws: OperationError.forbidden(.managePeople)) {
                try await administrator.perform(DeactivatePerson(person: pupil))
            }
            _ = try await administrator.perform(IssuePassword(person: pupil))
        }
    }

    @Test("nobody makes themselves more than they are")
    func escalation() async throws {
        try await Scene.with(.sqlite) { scene in
            for role in Role.allCases where role != .administrator {
                let holder = try await scene.holder(of: role, at: scene.school.location.id)
                let administrator = scene.administrator(.person(holder.id))
                for wanted in [Role.administrator, role] {
                    for place in [nil, LocationReference(scene.annex.id)] {
                        await #expect(throws: OperationError.forbidden(.managePeople)) {
                            try await administrator.perform(
                                AddRole(person: PersonReference(holder.id), role: wanted, at: place))
                        }
                    }
                }
            }
        }
    }

    @Test("whoever is deactivated, or loses the role, may do nothing from then on")
    func formerHolders() async throws {
        try await Scene.with(.sqlite) { scene in
            let manager = try await scene.holder(of: .manager, at: scene.school.location.id)
            let administrator = scene.administrator(.person(manager.id))
            _ = try await administrator.ask(ListPeople())
            try await scene.school.deactivate(manager)
            await #expect(throws: OperationError.signedOut) { try await administrator.ask(ListPeople()) }
        }
    }

    /// Has one after the other carry the example out. Those who may not, and those who only ask, change nothing.
    private func check(
        _ example: Example, by holders: [(person: Person, isAllowed: Bool)], in scene: Scene
    ) async throws {
        let before = try await scene.state()
        for (holder, isAllowed) in holders {
            // Nobody of a closed organization is let in.
            try await scene.attempt(
                example, by: holder, isAllowed: isAllowed, isShutOut: example.name == ReopenOrganization.name)
        }
        if example.preview == nil || holders.allSatisfy({ !$0.isAllowed }) {
            #expect(try await scene.state() == before)
        }
    }
}
