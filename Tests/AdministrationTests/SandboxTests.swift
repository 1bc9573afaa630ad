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

@testable import Administration

/// The school of a team's own. Its administrator can be anybody, so that nothing of it may reach beyond it.
@Suite struct SandboxTests {
    static let team = TeamReference("Quizzler Inc.")

    /// A team with the app Quizzler, a member of it, and its sandbox with an administrator.
    struct Stage {
        let scene: Scene
        let member: Administrator
        let opened: OpenedSandbox
        let organization: Organization
        let head: Administrator

        static func with(_ kind: TestDatabase = .sqlite, _ body: (Stage) async throws -> Void) async throws {
            try await Scene.with(kind) { scene in
                _ = try await scene.school.insertApp()
                let developer = try await scene.insertDeveloper("dev@quizzler.example")
                try await scene.join(developer, "Quizzler Inc.")
                let member = scene.administrator(.person(developer.id))
                let opened = try await member.perform(CreateSandbox(team: team)).answer
                let (organization, head) = try await scene.database.read { transaction in
                    (
                        try #require(try Organization.find(publicID: opened.sandbox.id, in: transaction)),
                        try #require(try Person.find(userName: opened.userName, in: transaction))
                    )
                }
                try await body(
                    Stage(
                        scene: scene, member: member, opened: opened, organization: organization,
                        head: scene.administrator(.person(head.id))))
            }
        }

        func app(_ clientID: String) async throws -> App {
            try await scene.database.read { try #require(try App.find(clientID: clientID, in: $0)) }
        }
    }

    private static func refuses(
        _ text: String, _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: (any Error).self, sourceLocation: sourceLocation) { try await body() }
        #expect(
            "\(error.map { "\($0)" } ?? "")".contains(text), "\(String(describing: error))",
            sourceLocation: sourceLocation)
    }

    @Test(
        "a sandbox has the people and classes of the test school, and an administrator",
        arguments: TestDatabase.allCases)
    func making(_ kind: TestDatabase) async throws {
        try await Stage.with(kind) { stage in
            let sandbox = stage.opened.sandbox
            #expect(sandbox.name == "Quizzler Inc. (sandbox)")
            #expect(sandbox.team == "Quizzler Inc.")
            #expect((sandbox.people, sandbox.classes) == (146, 6))
            #expect(sandbox.administrators == [stage.opened.userName])
            #expect(sandbox.domain.wholeMatch(of: /[0-9a-f]{10}\.sandbox\.invalid/) != nil)
            #expect(stage.opened.password.count >= 8)
            let people = try await stage.scene.database.read {
                try Person.page(of: stage.organization.id, limit: 1_000, in: $0)
            }
            #expect(people.count == 146)
            #expect(people.allSatisfy { $0.userName.hasSuffix("@\(sandbox.domain)") })
            #expect(try await stage.member.ask(ShowSandbox(team: Self.team)).sandbox == sandbox)
            // It is a school as any other for its administrator.
            #expect(try await stage.head.ask(ListPeople()).people.isEmpty == false)
            let added = try await stage.head.perform(AddPerson(firstName: "Nadia", lastName: "Berg", role: .student))
            #expect(added.answer.userName == "nadia.berg@\(sandbox.domain)")
        }
    }

    @Test("a team has one sandbox, and cannot make and remove them without end")
    func oneAtATime() async throws {
        try await Stage.with { stage in
            func remove() async throws {
                let version = try await stage.member.preview(RemoveSandbox(team: Self.team)).version
                _ = try await stage.member.perform(RemoveSandbox(team: Self.team), ifVersion: version)
            }
            for made in 1...3 {
                await Self.refuses("has a sandbox already") {
                    _ = try await stage.member.perform(CreateSandbox(team: Self.team))
                }
                try await remove()
                #expect(try await stage.member.ask(ShowSandbox(team: Self.team)).sandbox == nil)
                if made < 3 { _ = try await stage.member.perform(CreateSandbox(team: Self.team)) }
            }
            await Self.refuses("several sandboxes") {
                _ = try await stage.member.perform(CreateSandbox(team: Self.team))
            }
            // Nobody of it is let in, at once.
            await Self.refuses("not signed in") { _ = try await stage.head.ask(ListPeople()) }
            try await RetentionSweep(database: stage.scene.database, services: stage.scene.services).run()
            let left = try await stage.scene.database.read {
                try Person.page(of: stage.organization.id, limit: 10, in: $0).count
            }
            #expect(left == 0)
            _ = try await stage.member.perform(CreateSandbox(team: Self.team))
            await Self.refuses("does not come back") {
                _ = try await stage.scene.operator.perform(ReopenOrganization(), in: .named(stage.opened.sandbox.id))
            }
            await Self.refuses("has a sandbox") {
                let version = try await stage.scene.operator.preview(RemoveApp(app: AppReference("Quizzler"))).version
                _ = try await stage.scene.operator.perform(RemoveApp(app: AppReference("Quizzler")), ifVersion: version)
                _ = try await stage.scene.operator.preview(RemoveTeam(team: Self.team))
            }
        }
    }

    @Test("the operator can let teams have none")
    func switchedOff() async throws {
        try await Scene.with(.sqlite) { scene in
            let scene = scene.with(Scene.services(of: scene.school, haveSandboxes: false))
            _ = try await scene.school.insertApp()
            let developer = try await scene.insertDeveloper("dev@quizzler.example")
            try await scene.join(developer, "Quizzler Inc.")
            await Self.refuses("no sandboxes") {
                _ = try await scene.administrator(.person(developer.id)).perform(CreateSandbox(team: Self.team))
            }
            _ = try await scene.operator.perform(CreateSandbox(team: Self.team))
        }
    }

    @Test("only apps of its team count in it, whatever its administrator decides", arguments: TestDatabase.allCases)
    func apps(_ kind: TestDatabase) async throws {
        try await Stage.with(kind) { stage in
            _ = try await stage.scene.operator.perform(AddTeam(name: "Rival Inc."))
            let made = try await stage.scene.operator.perform(
                CreateApp(
                    team: TeamReference("Rival Inc."), name: "Rival", clientIDs: ["com.rival"],
                    scopes: [.usersRead, .classesRead], returnURLs: ["https://rival.example/callback"]))
            #expect(made.answer.name == "Rival")
            _ = try await stage.head.perform(SetAccessMode<DataSharing>(mode: .allowAllApps))
            for app in try await [stage.app("com.example.quizzler"), stage.app("com.rival")] {
                let isOwn = app.name == "Quizzler"
                try await stage.scene.database.read { transaction in
                    let signIn = try SignInAccess.decide(
                        app: app, whoeverSignsInOf: stage.organization.id, in: transaction)
                    let sharing = try DataSharingAccess.decide(
                        app: app, organization: stage.organization, in: transaction)
                    #expect((signIn == .allowed) == isOwn)
                    #expect((sharing == .allowed) == isOwn)
                }
            }
            await Self.refuses("no app “com.rival”") {
                _ = try await stage.head.perform(AllowApp<SigningIn>(app: AppReference("com.rival")))
            }
            #expect(try await stage.head.ask(SearchApps<SigningIn>()).apps.map(\.name) == ["Quizzler"])
            let rival = try await AppReference(stage.app("com.rival").id)
            await Self.refuses("no app") {
                _ = try await stage.head.ask(
                    ExplainAccess(person: PersonReference(stage.opened.userName), app: rival))
            }
            await Self.refuses("no app") { _ = try await stage.head.ask(ShowSharing(app: rival)) }
            #expect(try await stage.head.ask(SearchApps<DataSharing>(text: "rival")).apps.isEmpty)
            // An app that goes to another team is none of the sandbox any more, though it is on its list.
            _ = try await stage.head.perform(AllowApp<SigningIn>(app: AppReference("com.example.quizzler")))
            let preview = try await stage.scene.operator.preview(
                TransferApp(app: AppReference("Quizzler"), team: TeamReference("Rival Inc.")))
            _ = try await stage.scene.operator.perform(
                TransferApp(app: AppReference("Quizzler"), team: TeamReference("Rival Inc.")), in: .only,
                ifVersion: preview.version)
            let moved = try await stage.app("com.example.quizzler")
            let access = try await stage.scene.database.read {
                try SignInAccess.decide(app: moved, whoeverSignsInOf: stage.organization.id, in: $0)
            }
            #expect(access != .allowed)
        }
    }

    @Test("it cannot take a name, a user name or a domain that could be somebody else's")
    func names() async throws {
        try await Stage.with { stage in
            let domain = stage.opened.sandbox.domain
            func change(_ edit: (inout SetOrganization) -> Void) async throws {
                var change = SetOrganization()
                edit(&change)
                _ = try await stage.head.perform(change)
            }
            await Self.refuses("ends with “ (sandbox)”") { try await change { $0.name = "Maple Academy" } }
            try await change { $0.name = "Maple Academy (sandbox)" }
            for format in ["{first_name}@maple.example", "{first_name}", "{first_name}@x.\(domain)"] {
                await Self.refuses("end with @\(domain)") { try await change { $0.userNameFormat = format } }
            }
            try await change { $0.userNameFormat = "{first_name}@\(domain.uppercased())" }
            for name in ["head@maple.example", "head", "head@\(domain).example", "@\(domain)x"] {
                await Self.refuses("end with @\(domain)") {
                    _ = try await stage.head.perform(AddPerson(firstName: "A", lastName: "B", userName: name))
                }
                await Self.refuses("end with @\(domain)") {
                    _ = try await stage.head.perform(
                        RenamePerson(person: PersonReference(stage.opened.userName), userName: name))
                }
            }
            await Self.refuses("no `domain.add`") {
                _ = try await stage.head.perform(AddDomain(domain: "maple.example"))
            }
            await Self.refuses("no `domain.remove`") { _ = try await stage.head.perform(RemoveDomain(domain: domain)) }
            await Self.refuses("no `pick-up.set`") { _ = try await stage.head.perform(SetPickUp(hour: 3)) }
            await Self.refuses("no `device.profile`") { _ = try await stage.head.ask(ShowSignOnProfile()) }
            // Nobody else has a name in its domain.
            await Self.refuses("has verified the domain") {
                _ = try await stage.scene.operator.perform(
                    AddPerson(firstName: "A", lastName: "B", userName: "a@\(domain)"), in: stage.scene.maple)
            }
        }
    }

    @Test("it gets no mail, and its people make and join no teams")
    func reach() async throws {
        try await Stage.with { stage in
            let mailer = Mailer(
                sender: Mailbox(name: "Lanyard", address: try MailAddress("lanyard@school.example")),
                surroundings: stage.scene.services.surroundings)
            let queued = try await stage.scene.database.write { transaction in
                let people =
                    try Person.page(of: stage.organization.id, limit: 3, in: transaction)
                    + [try #require(try Person.find(stage.scene.pupil.id, in: transaction))]
                for person in people {
                    try mailer.enqueue(
                        try MailMessage(to: try MailAddress("a@b.example"), subject: "S", text: "T", language: "en"),
                        for: person.id, in: transaction)
                }
                return try transaction.all("SELECT person_id FROM mail_message") { try $0[0] as PersonID }
            }
            #expect(queued == [stage.scene.pupil.id])
            let scene = stage.scene.with(Scene.services(of: stage.scene.school, founding: .anyone))
            let head = try await scene.database.read {
                try #require(try Person.find(userName: stage.opened.userName, in: $0))
            }
            await #expect(throws: OperationError.forbidden(.joinTeams)) {
                try await scene.administrator(.person(head.id)).perform(AddTeam(name: "Endless Inc."))
            }
            let code = try await stage.member.perform(InviteMember(team: Self.team)).answer.code
            await #expect(throws: OperationError.forbidden(.joinTeams)) {
                try await stage.head.perform(JoinTeam(code: code))
            }
        }
    }

    @Test("where no organization is named, a sandbox is not meant")
    func unnamed() async throws {
        try await Stage.with { stage in
            let only = try await stage.scene.database.read { try Organization.listOwn(in: $0).map(\.name) }
            #expect(only.contains("Maple District") && !only.contains(stage.opened.sandbox.name))
            let all = try await stage.scene.operator.ask(ListOrganizations()).organizations
            #expect(all.first { $0.isSandbox }?.id == stage.opened.sandbox.id)
            // The id of a person in its records makes no other person's id ambiguous.
            _ = try await stage.head.perform(AddPerson(firstName: "A", lastName: "B", personID: "S-1"))
            await #expect(throws: OperationError.notFound(.person, "S-1", in: nil)) {
                try await stage.scene.operator.ask(ShowPerson(person: PersonReference("S-1")))
            }
        }
    }

    @Test("it has room for so much, and takes no large files")
    func room() async throws {
        try await Stage.with { stage in
            try await stage.scene.database.write { transaction in
                for number in 146..<2_000 {
                    _ = try Person.insert(
                        in: stage.organization.id, givenName: "A", familyName: "B",
                        userName: "p\(number)@\(stage.opened.sandbox.domain)", at: stage.scene.school.fixed.now,
                        in: transaction)
                }
            }
            await Self.refuses("room for 2000 people") {
                _ = try await stage.head.perform(AddPerson(firstName: "A", lastName: "B"))
            }
            await Self.refuses("room for 2000 people") {
                _ = try await stage.head.perform(ImportRoster(.archive(try RosterTexts().archive())))
            }
            await Self.refuses("2097152 bytes that a sandbox takes") {
                _ = try await stage.head.perform(ImportRoster(.archive(Data(repeating: 0, count: 3 << 20))))
            }
        }
    }

    @Test("work in the background waits behind that of others, and little of it at once")
    func jobs() async throws {
        try await Stage.with { stage in
            for _ in 0..<2 { _ = try await stage.head.begin(IssuePasswords()) }
            await Self.refuses("2 pieces of work") { _ = try await stage.head.begin(IssuePasswords()) }
            let of = stage.scene.school.organization
            let other = try await stage.scene.holder(of: .administrator, at: nil)
            _ = try await stage.scene.administrator(.person(other.id)).begin(IssuePasswords())
            let first = try await stage.scene.database.write { transaction in
                try #require(try Job.take(at: stage.scene.school.fixed.now, in: transaction)).organization
            }
            #expect(first == of.id)
            await Self.refuses("no `id-map.guess`") {
                _ = try await stage.head.perform(GuessIDMap(archive: Data()))
            }
            for number in 0..<5 {
                _ = try await stage.head.perform(AddAPIClient(name: "Program \(number)", privileges: [.readPeople]))
            }
            await Self.refuses("room for 5 programs") {
                _ = try await stage.head.perform(AddAPIClient(name: "One more", privileges: [.readPeople]))
            }
            await Self.refuses("no `organization.close`") {
                _ = try await stage.head.preview(CloseOrganization(eraseAfterDays: 365))
            }
        }
    }

    @Test("a new password ends the old one, and is issued while there is an administrator")
    func password() async throws {
        try await Stage.with { stage in
            let again = try await stage.member.perform(IssueSandboxPassword(team: Self.team)).answer
            #expect(again.userName == stage.opened.userName)
            #expect(again.password != stage.opened.password)
            let hash = try await stage.scene.database.read { transaction in
                let person = try #require(try Person.find(userName: again.userName, in: transaction))
                return try #require(try Credential.find(for: person.id, in: transaction)).passwordHash
            }
            #expect(try await stage.scene.school.passwordHasher.verify(again.password, against: hash))
            #expect(try await !stage.scene.school.passwordHasher.verify(stage.opened.password, against: hash))
        }
    }
}
