import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Ground
import Storage
import TestSupport
import Testing

/// How a person signs in, and to which apps.
@Suite struct SignInsTests {
    private static func ask(about person: Person, by caller: Administrator) async throws -> SignInRecord {
        try await caller.ask(ShowSignIns(person: PersonReference(person.id)))
    }

    @Test("each app that the person signs in to is listed until that ends", arguments: TestDatabase.available)
    func apps(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.register(listed: true)
            #expect(try await Self.ask(about: scene.pupil, by: scene.operator).apps.isEmpty)
            let now = scene.school.fixed.now
            let pupil = try await scene.school.insertPerson("ana", email: "a@maple.example")
            let owner = try await scene.insertPersonal("r@quizzler.example")
            let app = try await scene.database.write { transaction in
                let app = try #require(try App.list(in: transaction).first)
                try transaction.execute(
                    """
                    INSERT INTO hidden_address (address, team_id, person_id, created_at, changed_at)
                    VALUES ('x@relay.example', $1, $2, $3, $3)
                    """, [app.teamID, owner.id, now])
                for (person, hides, scopes) in [
                    (scene.pupil, false, ScopeSet([.name])), (pupil, false, ScopeSet([.name, .email])),
                    (owner, true, ScopeSet([.email])),
                ] {
                    _ = try SignInConsent.put(
                        app: app.id, person: person.id, scopes: scopes, givenName: nil, familyName: nil,
                        hidesEmail: hides, request: SecretHash(of: "x"), at: now, in: transaction)
                }
                return app
            }
            for (person, address) in [(scene.pupil, nil), (pupil, .own), (owner, .hidden)]
                as [(Person, SignInRecord.App.Address?)]
            {
                let found = try #require(try await Self.ask(about: person, by: scene.operator).apps.first)
                #expect(found.number == app.id.rawValue && found.name == "Quizzler" && found.team == "Quizzler Inc.")
                #expect(found.since == now && found.address == address)
            }
            _ = try await scene.operator.perform(
                SetAccessMode<SigningIn>(mode: .allowOnlyListedApps), in: scene.maple)
            _ = try await scene.operator.perform(
                DisallowApp<SigningIn>(app: AppReference("Quizzler")), in: scene.maple)
            #expect(try await Self.ask(about: pupil, by: scene.operator).apps.isEmpty)
        }
    }

    @Test("what somebody has besides the password is told only to whoever may take it away")
    func ways() async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try #require(
                try await scene.database.read { try Person.find(userName: "head@maple.example", in: $0) })
            for person in [scene.pupil, head] {
                #expect(try await Self.ask(about: person, by: scene.operator).ways?.isEmpty == true)
                try await scene.giveFactor(to: person)
            }
            for role in [Role.administrator, .siteManager, .peopleManager, .manager, .instructor] {
                let caller = scene.administrator(
                    .person(try await scene.holder(of: role, at: scene.school.location.id).id))
                let ways = try #require(try await Self.ask(about: scene.pupil, by: caller).ways, "\(role)")
                #expect(ways.oneTimeCodes && ways.passkeys == 0 && ways.recoveryCodes == 0 && !ways.isEmpty)
                guard role != .instructor else { continue }
                #expect(
                    (try await Self.ask(about: head, by: caller).ways != nil) == (role == .administrator), "\(role)")
            }
        }
    }

    @Test("asking is a reading of the person")
    func isAudited() async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try await scene.holder(of: .administrator, at: nil)
            let before = try await scene.trail()
            _ = try await Self.ask(about: scene.pupil, by: scene.administrator(.person(head.id)))
            let (reader, pupil) = ("person:\(head.id.rawValue)", "person:\(scene.pupil.id.rawValue)")
            #expect(
                try await scene.news(since: before) == ["\(reader) administration.read \(pupil) done person.sign-ins"])
            let answer = try await scene.operator.ask(ListReaders(person: PersonReference(scene.pupil.id)))
            #expect(
                answer.readings.first?.list == "person.sign-ins"
                    && answer.readings.first?.fields == ["ways", "apps"])
        }
    }
}
