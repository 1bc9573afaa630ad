import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

/// Which organization has a realm of Kerberos.
@Suite struct RealmTests {
    /// Another organization of the scene's server, and its Administrator.
    private struct Oak {
        let school: School
        let head: Administrator
        let reference: OrganizationReference

        init(in scene: Scene) async throws {
            school = try await School.insert(in: scene.database, scene.school.fixed, name: "Oak")
            let person = try await school.insertPerson("oak-head")
            try await school.assign(.administrator, at: nil, to: person)
            head = scene.administrator(.person(person.id))
            reference = .named(school.organization.publicID)
        }
    }

    private static func head(of scene: Scene) async throws -> Administrator {
        scene.administrator(.person(try await scene.holder(of: .administrator, at: nil).id))
    }

    private static func realms(_ administrator: Administrator) async throws -> [RealmRecord] {
        try await administrator.ask(ListRealms()).realms
    }

    @Test("what is taken back comes back exactly, also what the operator has added", arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(of: scene)
            let first = SetRealm(realm: "Corp.Acme.TEST", matching: .userName, domain: "acme.test")
            await #expect(throws: OperationError.self) { try await head.perform(first) }
            let set = try await scene.operator.perform(first, in: scene.maple)
            let before = try await Self.realms(head)
            #expect(before.map(\.realm) == ["Corp.Acme.TEST"])

            // A change, and a removal, by somebody who could not add it.
            let changed = try await head.perform(SetRealm(realm: "CORP.ACME.TEST", matching: .personNumber))
            #expect(try await Self.realms(head).first?.matching == .personNumber)
            _ = try await head.undo(try #require(changed.change))
            #expect(try await Self.realms(head) == before)
            let removed = try await head.perform(RemoveRealm(realm: "corp.acme.test"))
            #expect(try await Self.realms(head).isEmpty)
            // A Site Manager may set no realm, and may not take a removal back. The head may take it back, but not set the realm.
            let siteManager = try await scene.holder(of: .siteManager, at: nil)
            await #expect(throws: OperationError.self) {
                try await scene.administrator(.person(siteManager.id)).undo(try #require(removed.change))
            }
            await #expect(throws: OperationError.self) { try await head.perform(first) }
            _ = try await head.undo(try #require(removed.change))
            #expect(try await Self.realms(head) == before)
            // The first change of all is what it was.
            _ = try await scene.operator.undo(try #require(set.change), in: scene.maple)
            #expect(try await Self.realms(head).isEmpty)
        }
    }

    @Test("what another organization has got in the meantime does not come back")
    func taken() async throws {
        try await Scene.with(.sqlite) { scene in
            let (head, oak) = (try await Self.head(of: scene), try await Oak(in: scene))
            let set = SetRealm(realm: "CORP.ACME.TEST", matching: .personNumber)
            _ = try await scene.operator.perform(set, in: scene.maple)
            let removed = try await head.perform(RemoveRealm(realm: "CORP.ACME.TEST"))
            _ = try await scene.operator.perform(set, in: oak.reference)
            await #expect(throws: OperationError.self) { try await head.undo(try #require(removed.change)) }
            #expect(try await Self.realms(head).isEmpty)
            #expect(try await Self.realms(oak.head).map(\.realm) == ["CORP.ACME.TEST"])
        }
    }

    private static func verify(
        _ domain: String, of organization: OrganizationReference, in scene: Scene
    ) async throws {
        _ = try await scene.operator.perform(AddDomain(domain: domain, verified: true), in: organization)
    }

    private static func refusal(_ change: some Change, by administrator: Administrator) async -> String? {
        let error = await #expect(throws: (any Error).self) { try await administrator.perform(change) }
        return error.flatMap { OperationFailure($0)?.detail }
    }

    @Test("of two domains the longer one decides, whichever was verified first", arguments: TestDatabase.available)
    func parts(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (head, oak) = (try await Self.head(of: scene), try await Oak(in: scene))
            try await Self.verify("district.test", of: scene.maple, in: scene)
            try await Self.verify("oak.district.test", of: oak.reference, in: scene)
            let (whole, part) = (
                SetRealm(realm: "DISTRICT.TEST", matching: .userName),
                SetRealm(realm: "AD.OAK.DISTRICT.TEST", matching: .userName)
            )
            for realm in ["OAK.DISTRICT.TEST", "AD.OAK.DISTRICT.TEST", "ad.oak.district.test"] {
                let refused = await Self.refusal(SetRealm(realm: realm, matching: .userName), by: head)
                let words = "lies in a part of district.test that another organization of this server has verified"
                #expect(refused?.contains(words) == true, "\(refused ?? "")")
            }
            let refused = await Self.refusal(whole, by: oak.head)
            #expect(refused?.contains("lies in no domain that Oak has verified") == true)
            // Neighbors whose names end alike are no parts of each other.
            _ = try await head.perform(SetRealm(realm: "SOAK.DISTRICT.TEST", matching: .userName))
            _ = try await head.perform(whole)
            _ = try await oak.head.perform(part)
            #expect(try await Self.realms(head).map(\.realm) == ["DISTRICT.TEST", "SOAK.DISTRICT.TEST"])
            #expect(try await Self.realms(oak.head).map(\.realm) == ["AD.OAK.DISTRICT.TEST"])
        }
    }

    @Test("whoever verifies the longer domain later takes the realm from the other", arguments: TestDatabase.available)
    func later(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (head, oak) = (try await Self.head(of: scene), try await Oak(in: scene))
            try await Self.verify("district.test", of: scene.maple, in: scene)
            let set = SetRealm(realm: "OAK.DISTRICT.TEST", matching: .userName)
            _ = try await head.perform(set)
            // Not before it is verified, and not with a domain of the same length or none.
            _ = try await oak.head.perform(AddDomain(domain: "oak.district.test"))
            #expect(await Self.refusal(set, by: oak.head) != nil)
            #expect(try await Self.realms(head).count == 1)

            _ = try await scene.operator.perform(VerifyDomain(domain: "oak.district.test"), in: oak.reference)
            let theirs = SetRealm(realm: "OAK.DISTRICT.TEST", matching: .personNumber)
            // The operator is told first, and has to remove it.
            await #expect(throws: OperationError.self) { try await scene.operator.perform(theirs, in: oak.reference) }
            let preview = try await oak.head.preview(theirs)
            #expect(preview.effects.map(\.name) == ["OAK.DISTRICT.TEST"] && preview.effects.count == 1)
            #expect(try await Self.realms(head).count == 1)
            let taken = try await oak.head.perform(theirs)
            // It cannot be taken back, because that would not bring the realm back where it was.
            #expect(taken.change == nil)
            #expect(try await Self.realms(head).isEmpty)
            #expect(try await Self.realms(oak.head).map(\.matching) == [.personNumber])
            let words = "sign nobody in any more: another organization has verified oak.district.test"
            #expect(try await scene.trail().contains { $0.contains("tickets of OAK.DISTRICT.TEST \(words)") })
            #expect(await Self.refusal(set, by: head) != nil)
        }
    }

    @Test("a realm that the operator has given to an organization outside of its domains stays there")
    func given() async throws {
        try await Scene.with(.sqlite) { scene in
            let (head, oak) = (try await Self.head(of: scene), try await Oak(in: scene))
            _ = try await scene.operator.perform(
                SetRealm(realm: "OAK.DISTRICT.TEST", matching: .userName), in: scene.maple)
            try await Self.verify("oak.district.test", of: oak.reference, in: scene)
            let refused = await Self.refusal(SetRealm(realm: "OAK.DISTRICT.TEST", matching: .userName), by: oak.head)
            #expect(refused?.contains("Another organization of this server takes the tickets") == true)
            #expect(try await Self.realms(head).count == 1)
        }
    }
}
