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

/// Apps as operations of the members of their team.
@Suite struct AppTests {
    private static let quizzler = Example.quizzler

    private static func member(of scene: Scene, _ team: String = "Quizzler Inc.") async throws -> Administrator {
        let person = try await scene.insertDeveloper("dev@\(team.count).example")
        try await scene.join(person, team)
        return scene.administrator(.person(person.id))
    }

    @Test(
        "the preview of a removal, or of a scope that is taken away, names the organizations that it concerns",
        arguments: TestDatabase.available)
    func concerned(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.giveConsent()
            try await scene.signIn(scene.pupil, to: app)
            let member = try await Self.member(of: scene)
            let removal = try await member.preview(RemoveApp(app: Self.quizzler))
            #expect(removal.effects.map(\.action) == ["app.removed", "consent.revoked"])
            #expect(removal.effects[0].detail == "1 consents revoked, 1 people signed out")
            #expect(removal.effects[1].name == scene.school.organization.name)
            var less = SetApp(app: Self.quizzler)
            less.scopes = [.usersRead]
            let narrowing = try await member.preview(less)
            #expect(narrowing.effects.map(\.action) == ["app.changed", "consent.narrowed"])
            #expect(narrowing.effects[1].detail == "edu.classes.read edu.users.read → edu.users.read")
            less.scopes = [.name]
            #expect(try await member.preview(less).effects.map(\.action) == ["app.changed", "consent.revoked"])
            // Nothing has happened so far.
            let record = try await member.ask(ShowApp(app: Self.quizzler))
            #expect((record.connectedOrganizations, record.people) == (1, 1))
            await #expect(throws: OperationError.self) { try await member.perform(RemoveApp(app: Self.quizzler)) }
            let done = try await member.perform(RemoveApp(app: Self.quizzler), in: .only, ifVersion: removal.version)
            #expect((done.answer.revokedConsents, done.answer.people) == (1, 1))
            #expect(done.effects == removal.effects)
            #expect(try await member.ask(ListApps()).apps.isEmpty)
            #expect(try await member.ask(ListApps(removed: true)).apps.map(\.name) == ["Quizzler"])
        }
    }

    @Test(
        "a change is taken back as a whole, and a scope that comes back is not in the consent",
        arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.giveConsent()
            let member = try await Self.member(of: scene)
            let before = try await member.ask(ShowApp(app: Self.quizzler))
            var change = SetApp(app: Self.quizzler)
            change.name = "Quizzler 2"
            change.scopes = [.usersRead, .email]
            change.addReturnURLs = ["https://quizzler.example/two"]
            change.nativeReturnURLs = ["http://127.0.0.1/callback"]
            change.removeReturnURLs = ["https://quizzler.example/callback"]
            change.domains = ["Quizzler.example", "www.quizzler.example"]
            change.signOutURLs = ["https://quizzler.example/bye"]
            change.backChannelLogoutURL = "https://quizzler.example/logout"
            change.clear = [.notificationURL]
            change.requiresPKCE = true
            change.asksEveryTime = true
            change.logoutNeedsSession = true
            let done = try await member.perform(change, in: .only, ifVersion: before.version)
            #expect(done.answer.version != before.version && done.answer.returnURLs.count == 2)
            #expect(done.answer.notificationURL == nil)
            #expect(done.answer.domains == ["quizzler.example", "www.quizzler.example"])
            _ = try await member.undo(try #require(done.change))
            #expect(try await member.ask(ShowApp(app: Self.quizzler)) == before)
            let consents = try await scene.database.read {
                try $0.all("SELECT scopes FROM consent") { try $0[0] as String }
            }
            #expect(consents == ["edu.users.read"])
            // Nothing changes, so that there is nothing to take back.
            var same = SetApp(app: Self.quizzler)
            same.name = "Quizzler"
            #expect(try await member.perform(same).change == nil)
        }
    }

    @Test("a wrong address, scope or client id changes nothing")
    func refusals() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.giveConsent()
            let member = try await Self.member(of: scene)
            let before = try await scene.state()
            func change(_ edit: (inout SetApp) -> Void) -> SetApp {
                var change = SetApp(app: Self.quizzler)
                change.name = "Quizzler 2"
                edit(&change)
                return change
            }
            let changes = [
                change { $0.addReturnURLs = ["http://quizzler.example/callback"] },
                change { $0.addReturnURLs = ["http://127.0.0.1/callback"] },
                change { $0.notificationURL = "https://metadata.google.internal/n" },
                change { $0.removeReturnURLs = ["https://quizzler.example/none"] },
                change { $0.addClientIDs = ["com.example.quizzler"] },
                change { $0.domains = ["*.quizzler.example"] }, change { $0.domains = ["rival.example"] },
                change {
                    $0.domains = ["quizzler.example"]
                    $0.addReturnURLs = ["https://www.quizzler.example/callback"]
                },
                change { $0.domains = ["quizzler.example"] + (1...100).map { "s\($0).quizzler.example" } },
                change {
                    $0.domains = ["quizzler.example"]
                    $0.clear = [.domains]
                },
                change { $0.scopes = [] }, change { $0.scopes = [.openID] },
                change {
                    $0.notificationURL = "https://quizzler.example/n"
                    $0.clear = [.notificationURL]
                },
            ]
            for change in changes {
                let error = await #expect(throws: (any Error).self) { try await member.perform(change) }
                // Each is an answer of the API, and no defect.
                #expect(error.flatMap { OperationFailure($0) } != nil, "\(String(describing: error))")
            }
            #expect(try await scene.state() == before)
        }
    }

    @Test(
        "return URLs on the web are at one of the domains, if there are any, and those on devices are anywhere",
        arguments: TestDatabase.available)
    func domains(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            let member = try await Self.member(of: scene)
            func perform(_ edit: (inout SetApp) -> Void) async throws -> AppRecord {
                var change = SetApp(app: Self.quizzler)
                edit(&change)
                return try await member.perform(change).answer
            }
            let native = "com.example.quizzler:/callback"
            let record = try await perform {
                $0.domains = ["quizzler.example", "quizzler.example.", "QUIZZLER.example"]
                $0.nativeReturnURLs = [native]
            }
            #expect(record.domains == ["quizzler.example"] && record.returnURLs.contains(native))
            let www = "https://www.quizzler.example:8443/callback"
            let refusal = await #expect(throws: OperationError.self) { try await perform { $0.addReturnURLs = [www] } }
            #expect(refusal?.description.contains("lack www.quizzler.example") == true)
            #expect(refusal?.description.contains(www) == true)
            let both = try await perform {
                $0.domains = ["www.quizzler.example", "quizzler.example"]
                $0.addReturnURLs = [www]
            }
            #expect(both.domains == ["quizzler.example", "www.quizzler.example"] && both.returnURLs.contains(www))
            // The domain goes together with its return URL, and not alone.
            await #expect(throws: OperationError.self) { try await perform { $0.domains = ["quizzler.example"] } }
            let one = try await perform {
                $0.domains = ["quizzler.example"]
                $0.removeReturnURLs = [www]
            }
            #expect(one.domains == ["quizzler.example"] && !one.returnURLs.contains(www))
            #expect(try await perform { $0.clear = [.domains] }.domains.isEmpty)
            #expect(try await perform { $0.addReturnURLs = ["https://rival.example/"] }.returnURLs.count == 3)
            await #expect(throws: OperationError.self) {
                try await member.perform(
                    CreateApp(
                        team: Example.quizzlerInc, name: "Web", clientIDs: ["com.example.web"], scopes: [.name],
                        domains: ["www.quizzler.example"], returnURLs: ["https://quizzler.example/callback"]))
            }
        }
    }

    @Test("only the operator takes addresses on loopback, because the server calls some of them")
    func development() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let member = try await Self.member(of: scene)
            var change = SetApp(app: Self.quizzler)
            change.notificationURL = "http://127.0.0.1:9/n"
            change.development = true
            await #expect(throws: OperationError.forbidden(.operateServer)) { try await member.perform(change) }
            #expect(try await scene.operator.perform(change).answer.notificationURL == "http://127.0.0.1:9/n")
            let relaxed = scene.with(Scene.services(of: scene.school, takesLoopback: true))
            change.notificationURL = "http://127.0.0.1:8/n"
            change.development = nil
            let person = try await relaxed.insertDeveloper("local@quizzler.example")
            try await relaxed.join(person, "Quizzler Inc.")
            #expect(
                try await relaxed.administrator(.person(person.id)).perform(change).answer.notificationURL
                    == "http://127.0.0.1:8/n")
        }
    }

    @Test("a secret is shown once, and void as soon as the client uses a key again")
    func clients() async throws {
        try await Scene.with(.sqlite) { scene in
            let registered = try await scene.school.insertApp()
            let member = try await Self.member(of: scene)
            let client = ClientReference(registered.clientID)
            let made = try await member.perform(MakeClientSecret(client: client))
            #expect(made.answer.client.authentication == .secret && made.change == nil)
            #expect(!made.effects.contains { $0.detail.contains(made.answer.secret) })
            let trail = try await scene.trail()
            #expect(!trail.contains { $0.contains(made.answer.secret) })
            let key = try await member.perform(SetClient(client: client, authentication: .key))
            // Nobody gets the secret back.
            #expect(key.answer.authentication == .key && key.change == nil)
            let isPublic = try await member.perform(
                SetClient(client: client, authentication: Client.Authentication.none, signingAlgorithm: .es256))
            #expect(isPublic.answer.authentication == .none && isPublic.answer.signingAlgorithm == .es256)
            _ = try await member.undo(try #require(isPublic.change))
            let now = try await member.ask(ShowApp(app: Self.quizzler)).clients
            #expect(now.map(\.authentication) == [.key] && now.map(\.signingAlgorithm) == [.rs256])
            await #expect(throws: OperationError.self) {
                try await member.perform(SetClient(client: client, authentication: .secret))
            }
        }
    }

    @Test("a client id that was taken from its app is nobody else's, and comes back to it")
    func removedClients() async throws {
        try await Scene.with(.sqlite) { scene in
            let registered = try await scene.school.insertApp()
            let member = try await Self.member(of: scene)
            let web = "com.example.quizzler.web"
            var change = SetApp(app: Self.quizzler)
            change.addClientIDs = [web]
            _ = try await member.perform(change)
            let removed = try await member.perform(RemoveClient(client: ClientReference(web)))
            #expect(removed.answer.clientIDs == [registered.clientID])
            await #expect(throws: OperationError.forbidden(.manageApps)) {
                try await member.perform(MakeClientSecret(client: ClientReference(web)))
            }
            await #expect(throws: App.Problem.clientIDTaken(web)) {
                try await member.perform(
                    CreateApp(team: Example.quizzlerInc, name: "Web", clientIDs: [web], scopes: [.name]))
            }
            _ = try await member.undo(try #require(removed.change))
            #expect(try await member.ask(ShowApp(app: Self.quizzler)).clientIDs == [registered.clientID, web])
            let error = await #expect(throws: OperationError.self) {
                try await member.perform(RemoveClient(client: ClientReference(registered.clientID)))
            }
            #expect(error?.description.contains("primary") == true)
        }
    }

    @Test("an app changes hands when the other team accepts, and not before", arguments: TestDatabase.available)
    func transfer(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.giveConsent()
            try await scene.makeRival()
            let (member, rival) = (try await Self.member(of: scene), try await Self.member(of: scene, "Rival Inc."))
            let client = ClientReference(app.clientID)
            _ = try await member.perform(MakeClientSecret(client: client))
            let accept = AcceptApp(app: AppReference(app.clientID))
            await #expect(throws: OperationError.forbidden(.manageApps)) { try await rival.perform(accept) }
            // Members know no other team by its name.
            await #expect(throws: OperationError.notFound(.team, "Rival Inc.", in: nil)) {
                try await member.perform(OfferApp(app: Self.quizzler, team: "Rival Inc."))
            }
            let offer = OfferApp(app: Self.quizzler, team: try await scene.rivalID())
            let offered = try await member.perform(offer)
            #expect(offered.answer.offeredTo == "Rival Inc." && offered.answer.teamName == "Quizzler Inc.")
            #expect(try await rival.ask(ListTeams()).teams.first?.offers.map(\.from) == ["Quizzler Inc."])
            _ = try await member.undo(try #require(offered.change))
            await #expect(throws: OperationError.forbidden(.manageApps)) { try await rival.perform(accept) }
            _ = try await member.perform(offer)
            // When the other team declines, the offer is over, and the app stays with the first team.
            let decline = DeclineApp(app: AppReference(app.clientID))
            await #expect(throws: OperationError.forbidden(.manageApps)) { try await member.perform(decline) }
            #expect(try await rival.perform(decline).answer.declined == "Quizzler")
            await #expect(throws: OperationError.forbidden(.manageApps)) { try await rival.perform(accept) }
            #expect(try await member.ask(ShowApp(app: Self.quizzler)).offeredTo == nil)
            _ = try await member.perform(offer)
            // The team that offers it accepts nothing.
            await #expect(throws: OperationError.forbidden(.manageApps)) { try await member.perform(accept) }
            let preview = try await rival.preview(accept)
            #expect(preview.effects.map(\.action) == ["app.transferred", "consent.revoked"])
            let accepted = try await rival.perform(accept)
            #expect(accepted.effects == preview.effects)
            #expect(accepted.answer.clientsWithoutSecret == [app.clientID])
            #expect(accepted.answer.endedConsents == [scene.school.organization.name])
            #expect(accepted.answer.app.teamName == "Rival Inc." && accepted.answer.app.offeredTo == nil)
            await #expect(throws: OperationError.forbidden(.manageApps)) {
                try await member.ask(ShowApp(app: Self.quizzler))
            }
            // An offer that nobody has accepted for two weeks is over.
            let back = try await scene.operator.ask(ListTeams()).teams.first { $0.name == "Quizzler Inc." }?.id
            _ = try await rival.perform(OfferApp(app: Self.quizzler, team: back ?? ""))
            scene.school.fixed.advance(by: AppOffer.lifetime)
            await #expect(throws: OperationError.forbidden(.manageApps)) { try await member.perform(accept) }
        }
    }
}
