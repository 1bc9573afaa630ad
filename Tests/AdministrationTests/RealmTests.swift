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
            // Whoever may not set realms may not take that back either, and nobody may set it as if it were that.
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
}
