import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

/// What holds for all operations. Each one in the catalog must have an ``Example``, so that a new one cannot do
/// without.
@Suite struct OperationTests {
    @Test func `each operation has an example, and a name of its own`() {
        let names = OperationCatalog.all.map { $0.name }
        #expect(Set(names).count == names.count)
        #expect(Set(Example.all.map(\.name)) == Set(names))
        #expect(Example.changes.count == OperationCatalog.changes.count)
        for change in OperationCatalog.changes {
            if case .impossible(let reason) = change.undo { #expect(reason.hasSuffix("."), "\(change.name)") }
        }
        for operation in OperationCatalog.all { #expect(operation.summary.hasSuffix("."), "\(operation.name)") }
    }

    @Test(
        "a preview changes nothing, and tells what the change then does and the trail then has",
        // Only a person joins a team, and these are done by the operator; see TeamTests.
        arguments: Example.changes.filter { $0.name != JoinTeam.name }, TestDatabase.available)
    func previews(_ example: Example, _ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await example.prepare(scene, scene.pupil)
            let (before, trail) = (try await scene.state(), try await scene.trail())
            let ask = try #require(example.preview)
            let preview = try await ask(scene.operator, scene.pupil, scene)
            #expect(try await scene.state() == before)
            #expect(try await scene.trail() == trail)

            let effects = try await example.perform(scene.operator, scene.pupil, scene)
            #expect(!effects.isEmpty)
            #expect(preview.effects.map(\.action) == effects.map(\.action))
            #expect(preview.effects.map(\.detail) == effects.map(\.detail))
            #expect(preview.effects.map(\.name) == effects.map(\.name))
            #expect(preview.counts.values.reduce(0, +) == effects.count)
            let new = try await scene.news(since: trail)
            #expect(
                new == effects.map { "operator \($0.action) \($0.subject) done \($0.detail)" })
            // This one only reads, though what it has found is on the trail.
            if example.name != GuessIDMap.name { #expect(try await scene.state() != before) }
        }
    }

    /// Operations that are about no person: they work on the caller's own organization, or the server's keys.
    private static let ofOneself: Set = [
        ListPeople.name, ListClasses.name, ListTerms.name, ListDueDates.name, ListAPIClients.name, ListChanges.name,
        AddAPIClient.name, ExportAudit.name, AskForTimestamp.name, AnchorAudit.name, ListLocations.name,
        AddLocation.name, ShowSharing.name, SetSharing.name, ViewAsApp.name,
        ApplyIDMap.name, GuessIDMap.name, ListPickUps.name, SetPickUp.name, ImportRoster.name, ListImports.name,
        ListErasures.name, ListHolds.name, ListRetention.name,
        ShowDue.name, SetRetention.name, ReplayErasures.name, ListConsents.name, SetConsentTerm.name,
        ShowMail.name, ShowOrganization.name, ListOrganizations.name, SetOrganization.name, SetPicture.name,
        ListDomains.name, AddDomain.name, ListRealms.name, ShowRealmReach.name, SetRealm.name, ListRoles.name,
        SetRole.name,
        CloseOrganization.name, ReopenOrganization.name, ListFindings.name, ShowActivity.name, ProveDomain.name,
        VerifyDomain.name, ListSigningKeys.name,
        RotateSigningKeys.name,
        RetireSigningKey.name, ShowSignOnProfile.name,
    ]

    @Test(
        "what another organization has is not found, by whichever name",
        arguments: Example.all.filter {
            !ofOneself.contains($0.name) && !$0.name.hasPrefix("access.") && !$0.isOfTeams
        }, TestDatabase.available)
    func strangers(_ example: Example, _ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let other = try await Self.stranger(in: scene)
            try await example.prepare(scene, scene.pupil)
            let (before, trail) = (try await scene.state(), try await scene.trail())
            let error = await #expect(throws: OperationError.self) {
                _ = try await example.perform(scene.administrator(.person(other.id)), scene.pupil, scene)
                // These are about no person: they work on the stranger's own organization.
            }
            guard case .notFound = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await scene.state() == before)
            #expect(try await scene.trail() == trail)
        }
    }

    /// The Administrator of another school on the same server.
    private static func stranger(in scene: Scene) async throws -> Person {
        let now = scene.school.fixed.now
        return try await scene.database.write { transaction in
            let oak = try Organization.insert(name: "Oak School", kind: .school, at: now, in: transaction)
            let person = try Person.insert(
                in: oak.id, givenName: "O", familyName: "K", userName: "head@oak.example", at: now, in: transaction)
            try RoleAssignment(.administrator, at: nil).insert(for: person.id, of: oak.id, at: now, in: transaction)
            return person
        }
    }

    @Test("whoever has seen another version is refused, and learns the one of now", arguments: TestDatabase.available)
    func versions(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let seen = try await scene.operator.ask(ShowPerson(person: pupil)).version
            _ = try await scene.operator.perform(AddRole(person: pupil, role: .staff, at: nil), ifVersion: seen)
            let before = try await scene.state()
            let current = try await scene.operator.ask(ShowPerson(person: pupil)).version
            #expect(current != seen)
            await #expect(throws: OperationError.stale(version: current)) {
                try await scene.operator.perform(DeactivatePerson(person: pupil), ifVersion: seen)
            }
            #expect(try await scene.state() == before)
        }
    }

    /// What changes are about that take no version, and why nobody overwrites by them what somebody else has done.
    private static let withoutVersion: [String: String] = [
        AcknowledgeErasure.name: "An app has answered once.",
        AddAPIClient.name: "It makes one more.", AddClass.name: "It makes one more.",
        AddHold.name: "It makes one more.", AddLocation.name: "It makes one more.",
        AddPerson.name: "It makes one more.", AddTeam.name: "It makes one more.",
        AddTerm.name: "It makes one more.", AnchorAudit.name: "It makes one more.",
        ApplyIDMap.name: "It names the former id of each record.",
        DiscardImport.name: "It names the plan, which has an id of its own.",
        EndHold.name: "It ends once.", GuessIDMap.name: "It changes nothing.",
        ImportRoster.name: "It names the plan, which has an id of its own.",
        IssueDeviceCode.name: "The code before is void, and was shown once.",
        IssuePasswords.name: "It is about many, and asks each for what has changed.",
        RemoveDevice.name: "Nothing of a device is edited.",
        ReplayErasures.name: "It names when each record was made.", RetireSigningKey.name: "It ends once.",
        RevokeAPIClient.name: "It ends once.", RevokeKey.name: "It ends once.",
        RotateSigningKeys.name: "It makes one more.",
        UndoIDMap.name: "It is refused after another map.", UndoImport.name: "It is refused after another import.",
    ]

    @Test(
        "a change in another version than the present one is refused and changes nothing; in that one it is done",
        arguments: Example.changes.filter { $0.name != JoinTeam.name })
    func otherVersions(_ example: Example) async throws {
        try await Scene.with(.sqlite) { scene in
            try await example.prepare(scene, scene.pupil)
            let ask = try #require(example.preview)
            let present = try await ask(scene.operator, scene.pupil, scene).version
            #expect((present == nil) == (Self.withoutVersion[example.name] != nil))
            let (before, trail) = (try await scene.state(), try await scene.trail())
            let error = await #expect(throws: OperationError.self) {
                _ = try await example.perform(scene.operator, scene.pupil, scene, ifVersion: "another")
            }
            switch error {
            case .stale(let version): #expect(version == present)
            // A version that nothing is compared with must not look as if it had counted.
            case .invalid(field: "version", _): #expect(present == nil)
            default: Issue.record("\(String(describing: error))")
            }
            #expect(try await scene.state() == before)
            #expect(try await scene.trail() == trail)
            let effects = try await example.perform(scene.operator, scene.pupil, scene, ifVersion: present)
            #expect(!effects.isEmpty)
        }
    }

    @Test("a wrong password or a sign-in makes no edit stale")
    func signInsKeepVersions() async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let seen = try await scene.operator.ask(ShowPerson(person: pupil)).version
            _ = try await scene.school.signIn(scene.pupil)
            _ = try await scene.operator.perform(IssuePassword(person: pupil))
            try await scene.database.write {
                try $0.execute("UPDATE person SET state = 'locked' WHERE id = $1", [scene.pupil.id])
            }
            #expect(try await scene.operator.ask(ShowPerson(person: pupil)).version == seen)
        }
    }
}
