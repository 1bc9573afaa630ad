import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

/// Who may do what to a team and its apps: its members, with few exceptions, and nobody else but the operator. The grid
/// of roles is in ``GridTests``, which goes through the same examples.
@Suite struct TeamGridTests {
    /// What no member may do, because it is the operator's, another team's, or the server's settings forbid it.
    private static let neverOfMembers: Set = [
        AddMember.name, TransferApp.name, AddTeam.name, AcceptApp.name,
        DeclineApp.name,
    ]
    /// What goes through the caller's own teams, and so is not refused to the members of another.
    private static let lists: Set = [ListTeams.name, ListApps.name, ListKeys.name]

    /// All but joining, which needs no membership.
    static let examples = Example.all.filter { $0.isOfTeams && $0.name != JoinTeam.name }

    enum Caller: CaseIterable {
        /// A member who belongs to no organization.
        case personal
        /// A member who is of the school, without any role there.
        case managed
        case former
        /// A member of another team.
        case rival
        /// An Administrator of the school, who is no member.
        case administrator
        /// A member who was deactivated.
        case deactivated

        func make(in scene: Scene) async throws -> Person {
            let person: Person
            switch self {
            case .personal, .former, .rival, .deactivated:
                person = try await scene.insertDeveloper("\(self)@quizzler.example")
            case .managed: person = try await scene.school.insertPerson("dev")
            case .administrator: person = try await scene.holder(of: .administrator, at: nil)
            }
            switch self {
            case .personal, .managed, .deactivated: try await scene.join(person, "Quizzler Inc.")
            case .former:
                try await scene.join(person, "Quizzler Inc.")
                try await scene.leave(person)
            case .rival:
                _ = try await scene.operator.perform(AddTeam(name: "Third Inc."))
                try await scene.join(person, "Third Inc.")
            case .administrator: break
            }
            if self == .deactivated { try await scene.school.deactivate(person) }
            return person
        }
    }

    /// Whether the one who calls may do it to the team and its apps.
    private static func may(_ caller: Caller, _ example: Example) -> Bool {
        switch caller {
        case .personal, .managed: !neverOfMembers.contains(example.name)
        case .rival: lists.contains(example.name)
        case .former, .administrator, .deactivated: false
        }
    }

    @Test(
        "members look after their team, and nobody else does, neither administrators nor whoever was a member",
        arguments: examples)
    func grid(_ example: Example) async throws {
        // A refusal leaves the team as it was. So one school is enough for all who are refused; each of the others has one alone.
        let allowed = Caller.allCases.filter { Self.may($0, example) }
        for callers in [Caller.allCases.filter { !allowed.contains($0) }] + allowed.map({ [$0] }) {
            try await Scene.with(.sqlite) { scene in
                try await example.prepare(scene, scene.pupil)
                for caller in callers { try await check(example, by: caller, in: scene) }
            }
        }
    }

    private func check(_ example: Example, by caller: Caller, in scene: Scene) async throws {
        let (person, isAllowed) = (try await caller.make(in: scene), Self.may(caller, example))
        let before = try await scene.state()
        try await scene.attempt(example, by: person, isAllowed: isAllowed, isShutOut: caller == .deactivated)
        if !isAllowed { #expect(try await scene.state() == before) }
    }

    @Test("a list has the teams, apps and keys of the caller, and of nobody else")
    func lists() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let rival = scene.administrator(.person(try await Caller.rival.make(in: scene).id))
            #expect(try await rival.ask(ListTeams()).teams.map(\.name) == ["Third Inc."])
            #expect(try await rival.ask(ListApps()).apps.isEmpty)
            #expect(try await rival.ask(ListApps(removed: true)).apps.isEmpty)
            #expect(try await rival.ask(ListKeys()).keys.isEmpty)
            #expect(try await scene.operator.ask(ListKeys()).keys.count == 1)
            for team in ["Quizzler Inc.", "No such team"] {
                // Nobody learns here which teams there are.
                await #expect(throws: OperationError.forbidden(.manageApps)) {
                    try await rival.ask(ListApps(team: TeamReference(team)))
                }
            }
            for app in ["Quizzler", "com.example.quizzler", "app:1", "app:99", "com.example.none"] {
                await #expect(throws: OperationError.forbidden(.manageApps)) {
                    try await rival.ask(ShowApp(app: AppReference(app)))
                }
            }
        }
    }

    @Test("being a member gives nothing in an organization, and a role in an organization gives nothing in a team")
    func noLeaks() async throws {
        for example in Example.all.filter({ !$0.isOfTeams }) {
            try await Scene.with(.sqlite) { scene in
                try await example.prepare(scene, scene.pupil)
                _ = try await scene.operator.perform(AddTeam(name: "Third Inc."))
                let personal = try await scene.insertDeveloper("dev@third.example")
                let managed = try await scene.school.insertPerson("dev")
                for person in [personal, managed] { try await scene.join(person, "Third Inc.") }
                for person in [personal, managed] {
                    let before = try await scene.state()
                    let error = await #expect(throws: OperationError.self, "\(example.name)") {
                        _ = try await example.perform(scene.administrator(.person(person.id)), scene.pupil, scene)
                    }
                    switch error {
                    case .forbidden: break
                    // Nobody of a closed organization is let in at all.
                    case .signedOut where example.name == ReopenOrganization.name && person.id == managed.id: break
                    default: Issue.record("\(example.name): \(String(describing: error))")
                    }
                    #expect(try await scene.state() == before)
                }
            }
        }
    }

    @Test("no program gets a privilege of teams, not even from the operator")
    func programs() async throws {
        try await Scene.with(.sqlite) { scene in
            for privilege in Privilege.ofTeams {
                let error = await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(
                        AddAPIClient(name: "Timetable", privileges: [privilege]), in: scene.maple)
                }
                guard case .invalid(field: "privileges", _) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(Role.allCases.allSatisfy { $0.usualPrivileges.isDisjoint(with: Privilege.ofTeams) })
        }
    }

    @Test("nobody in no organization names, reads or undoes what is of an organization or of the server")
    func personalAccountsAreNoOperators() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let person = try await scene.insertDeveloper("dev@quizzler.example")
            try await scene.join(person, "Quizzler Inc.")
            let member = scene.administrator(.person(person.id))
            let ofSchool = try await scene.operator.perform(
                DeactivatePerson(person: PersonReference(scene.pupil.id)), in: scene.maple)
            let ofServer = try await scene.operator.perform(AddTeam(name: "Third Inc."))
            for number in [ofSchool.change, ofServer.change] {
                let number = try #require(number)
                await #expect(throws: OperationError.notFound(.change, "\(number)", in: nil)) {
                    try await member.undo(number)
                }
            }
            for place in [scene.maple, .named("Maple District"), .named("No such place")] {
                guard case .named(let name) = place else { continue }
                await #expect(throws: OperationError.notFound(.organization, name, in: nil)) {
                    try await member.ask(ListTeams(), in: place)
                }
            }
        }
    }
}

extension Scene {
    func insertDeveloper(_ userName: String) async throws -> Person {
        let now = school.fixed.now
        return try await database.write {
            try Person.insert(in: nil, givenName: "Dev", familyName: "Eloper", userName: userName, at: now, in: $0)
        }
    }

    /// Makes the person a member, without a word in the trail.
    func join(_ person: Person, _ team: String) async throws {
        try await database.write {
            _ = try $0.execute(
                "INSERT INTO team_member (team_id, person_id) SELECT id, $2 FROM team WHERE name = $1",
                [team, person.id])
        }
    }

    func leave(_ person: Person) async throws {
        try await database.write {
            _ = try $0.execute("DELETE FROM team_member WHERE person_id = $1", [person.id])
        }
    }
}
