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

@Suite struct TeamTests {
    private static let quizzlerInc = Example.quizzlerInc

    /// A member of Quizzler Inc. with a personal account.
    private static func member(of scene: Scene, _ userName: String = "dev@quizzler.example") async throws -> Person {
        let person = try await scene.insertDeveloper(userName)
        try await scene.join(person, "Quizzler Inc.")
        return person
    }

    // MARK: Making a team

    @Test("the settings say who makes a team: nobody, whoever is in one, or anybody but pupils")
    func founding() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let inTeam = try await Self.member(of: scene)
            let personal = try await scene.insertDeveloper("new@quizzler.example")
            let staff = try await scene.holder(of: .staff, at: nil)
            let expected: [(DeveloperRules.Founding, allowed: [Person])] = [
                (.nobody, []), (.invited, [inTeam]), (.anyone, [inTeam, personal, staff]),
            ]
            for (founding, allowed) in expected {
                let scene = scene.with(Scene.services(of: scene.school, founding: founding))
                for person in [inTeam, personal, staff, scene.pupil] {
                    let name = "\(founding) \(person.id.rawValue)"
                    let administrator = scene.administrator(.person(person.id))
                    if allowed.contains(where: { $0.id == person.id }) {
                        let made = try await administrator.perform(AddTeam(name: name)).answer
                        #expect(made.members == [person.userName])
                        // From the next call on.
                        #expect(try await administrator.ask(ListTeams()).teams.map(\.name).contains(name))
                    } else {
                        await #expect(throws: OperationError.forbidden(.joinTeams), "\(name)") {
                            try await administrator.perform(AddTeam(name: name))
                        }
                    }
                }
            }
        }
    }

    @Test("two teams have no name in common, and a team with apps is not removed")
    func names() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let made = try await scene.operator.perform(AddTeam(name: "Other Inc."))
            for change in ["Quizzler Inc.", " Quizzler Inc. "] {
                await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(RenameTeam(team: TeamReference("Other Inc."), name: change))
                }
            }
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.preview(RemoveTeam(team: Self.quizzlerInc))
            }
            #expect(error?.description.contains("has apps: Quizzler") == true)
            _ = try await scene.operator.undo(try #require(made.change))
            #expect(try await scene.operator.ask(ListTeams()).teams.map(\.name) == ["Quizzler Inc."])
        }
    }

    // MARK: Members

    @Test("who was invited joins once, with a code that ends after a week", arguments: TestDatabase.available)
    func invitations(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            let member = scene.administrator(.person(try await Self.member(of: scene).id))
            let (colleague, third) = (
                try await scene.insertDeveloper("second@quizzler.example"),
                try await scene.insertDeveloper("third@quizzler.example")
            )
            let code = try await member.perform(InviteMember(team: Self.quizzlerInc)).answer.code
            let joining = scene.administrator(.person(colleague.id))
            // The preview does not use the code up.
            let preview = try await joining.preview(JoinTeam(code: code))
            #expect(preview.effects.map(\.detail) == ["member person:\(colleague.id.rawValue) added"])
            let joined = try await joining.perform(JoinTeam(code: code))
            #expect(joined.answer.members == ["dev@quizzler.example", "second@quizzler.example"])
            #expect(joined.effects == preview.effects)
            #expect(try await joining.ask(ShowTeam(team: Self.quizzlerInc)).invitations == 0)
            func refused(_ code: String, by caller: Administrator.Caller) async {
                let error = await #expect(throws: OperationError.self) {
                    try await scene.administrator(caller).perform(JoinTeam(code: code))
                }
                guard case .refused = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            await refused(code, by: .person(third.id))
            await refused("not a code", by: .person(third.id))
            let late = try await member.perform(InviteMember(team: Self.quizzlerInc)).answer.code
            await refused(late, by: .operator)
            // A pupil is told nothing of the team.
            await #expect(throws: OperationError.forbidden(.joinTeams)) {
                try await scene.administrator(.person(scene.pupil.id)).perform(JoinTeam(code: late))
            }
            scene.school.fixed.advance(by: TeamInvitation.lifetime + 1)
            await refused(late, by: .person(third.id))
            // A former member comes back by no code of their own.
            let own = try await joining.perform(InviteMember(team: Self.quizzlerInc)).answer.code
            try await scene.leave(colleague)
            await refused(own, by: .person(colleague.id))
            await refused(own, by: .person(third.id))
            try await scene.join(colleague, "Quizzler Inc.")
            let void = try await member.perform(InviteMember(team: Self.quizzlerInc)).answer.code
            _ = try await member.perform(WithdrawInvitations(team: Self.quizzlerInc))
            await refused(void, by: .person(third.id))
            #expect(try await member.ask(ListTeams()).teams.first?.members.count == 2)
        }
    }

    @Test("a removed member is refused on the next call, and the last one cannot leave by themselves")
    func removing() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let (one, other) = (
                try await Self.member(of: scene), try await Self.member(of: scene, "second@quizzler.example")
            )
            let member = scene.administrator(.person(one.id))
            let remove = RemoveMember(team: Self.quizzlerInc, person: PersonReference("SECOND@quizzler.example"))
            let removed = try await member.perform(remove)
            #expect(removed.answer.members == [one.userName] && removed.change == nil)
            await #expect(throws: OperationError.forbidden(.manageApps)) {
                try await scene.administrator(.person(other.id)).ask(ListApps())
            }
            // The answer is the same for whoever has no account, and for whoever has one and is no member.
            for name in [scene.pupil.userName, "nobody@maple.example", "PE-\(scene.pupil.id.rawValue)"] {
                await #expect(throws: OperationError.notFound(.member, name, in: "Quizzler Inc.")) {
                    try await member.perform(RemoveMember(team: Self.quizzlerInc, person: PersonReference(name)))
                }
            }
            let last = RemoveMember(team: Self.quizzlerInc, person: PersonReference(one.id))
            let error = await #expect(throws: OperationError.self) { try await member.perform(last) }
            #expect(error?.description.contains("last member") == true)
            let byOperator = try await scene.operator.perform(last)
            #expect(byOperator.answer.members.isEmpty)
            _ = try await scene.operator.undo(try #require(byOperator.change))
            #expect(try await member.ask(ListTeams()).teams.map(\.members) == [[one.userName]])
        }
    }

    @Test("a change of another version of the team is refused")
    func versions() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let member = scene.administrator(.person(try await Self.member(of: scene).id))
            let seen = try await member.ask(ShowTeam(team: Self.quizzlerInc)).version
            _ = try await member.perform(RenameTeam(team: Self.quizzlerInc, name: "Quizzler Ltd."))
            let now = try await member.ask(ShowTeam(team: TeamReference("Quizzler Ltd."))).version
            await #expect(throws: OperationError.stale(version: now)) {
                try await member.perform(
                    RenameTeam(team: TeamReference("Quizzler Ltd."), name: "Q"), in: .only, ifVersion: seen)
            }
        }
    }

    // MARK: Keys and senders

    @Test("a private key is refused, and so is one that is registered")
    func keys() async throws {
        try await Scene.with(.sqlite) { scene in
            let registered = try await scene.school.insertApp()
            let member = scene.administrator(.person(try await Self.member(of: scene).id))
            let cases = [
                ("-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----", "private key"), ("x", "P-256"),
                (registered.key.publicKeyPEM, "registered already"),
            ]
            for (key, reason) in cases {
                let error = await #expect(throws: OperationError.self) {
                    try await member.perform(RegisterKey(team: Self.quizzlerInc, name: "New", publicKey: key))
                }
                #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
            }
            #expect(try await member.ask(ListKeys()).keys.count == 1)
        }
    }

    @Test("nobody writes from the relay's own domain, and a sender that was removed comes back")
    func senders() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let scene = scene.with(Scene.services(of: scene.school, relayDomain: "relay.maple.example"))
            let member = scene.administrator(.person(try await Self.member(of: scene).id))
            await #expect(throws: (any Error).self) {
                try await member.perform(AddSender(team: Self.quizzlerInc, sender: "a@relay.maple.example"))
            }
            _ = try await member.perform(AddSender(team: Self.quizzlerInc, sender: "Quizzler.example"))
            let removed = try await member.perform(RemoveSender(team: Self.quizzlerInc, sender: "quizzler.EXAMPLE"))
            _ = try await member.undo(try #require(removed.change))
            let names = try await member.ask(ListSenders(team: Self.quizzlerInc)).senders.map(\.name)
            #expect(names == ["quizzler.example"])
        }
    }
}
