import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

/// Whether a TXT record shows that a domain is an organization's, and nothing else does.
@Suite struct DomainProofTests {
    private static let domain = "pupils.maple.example"

    /// A school whose Administrator has added the domain, which is not verified.
    private static func with(_ body: (Scene, Administrator, DomainProof) async throws -> Void) async throws {
        try await Scene.with(.sqlite) { scene in
            let head = scene.administrator(.person(try await scene.holder(of: .administrator, at: nil).id))
            #expect(try await head.perform(AddDomain(domain: domain)).answer.verifiedAt == nil)
            let record = try await head.ask(ListDomains()).domains.first { $0.name == domain }?.record
            try await body(scene, head, #require(record))
        }
    }

    private static func isVerified(_ scene: Scene) async throws -> Bool {
        try await scene.database.read { transaction in
            try Domain.list(of: scene.school.organization.id, in: transaction)
                .contains { $0.name == domain && $0.isVerified }
        }
    }

    private static func refusal(_ head: Administrator) async -> String? {
        let error = await #expect(throws: (any Error).self) { try await head.perform(ProveDomain(domain: domain)) }
        return error.flatMap { OperationFailure($0)?.detail }
    }

    @Test("the record verifies the domain, and is not asked for any more")
    func proves() async throws {
        try await Self.with { scene, head, record in
            scene.zone.add("v=spf1 -all", at: record.name)
            scene.zone.add(record.value, at: record.name)
            let proved = try await head.perform(ProveDomain(domain: "Pupils.Maple.example")).answer
            #expect(proved.verifiedAt != nil)
            #expect(try await Self.isVerified(scene))
            #expect(try await head.ask(ListDomains()).domains.first { $0.name == Self.domain }?.record == nil)
            #expect(await Self.refusal(head)?.contains("verified already") == true)
        }
    }

    @Test("a name without a record, or with another one, verifies nothing and says what is wanted")
    func refuses() async throws {
        try await Self.with { scene, head, record in
            #expect(await Self.refusal(head)?.contains("\(record.name) does not exist") == true)
            for text in [
                record.value.lowercased(), record.value + " ", "lanyard-verify=", String(record.value.dropLast()),
            ] {
                scene.zone.add(text, at: record.name)
                #expect(await Self.refusal(head)?.contains("“\(record.value)”") == true)
            }
            // The record of the domain itself is somebody else's business.
            scene.zone.add(record.value, at: Self.domain)
            #expect(await Self.refusal(head) != nil)
            let isVerified = try await Self.isVerified(scene)
            #expect(!isVerified)
        }
    }

    @Test("each organization has a record of its own, the same whenever it asks, and none without the server's key")
    func records() async throws {
        try await Self.with { scene, head, record in
            #expect(record.name == "_lanyard-verify.\(Self.domain)")
            #expect(record.value.wholeMatch(of: #/lanyard-verify=[A-Za-z0-9_-]{22}/#) != nil)
            #expect(try await head.ask(ListDomains()).domains.compactMap(\.record) == [record])

            let other = try await scene.database.write { transaction in
                try Organization.insert(name: "Oak", kind: .school, at: scene.school.fixed.now, in: transaction)
            }
            let oak = OrganizationReference.named(other.publicID)
            _ = try await scene.operator.perform(AddDomain(domain: Self.domain), in: oak)
            let theirs = try await scene.operator.ask(ListDomains(), in: oak).domains.compactMap(\.record)
            #expect(theirs.map(\.name) == [record.name] && theirs.map(\.value) != [record.value])

            let elsewhere = scene.with(Scene.services(of: scene.school, under: Scene.masterKey(of: 6)))
            let resealed = try await elsewhere.operator.ask(ListDomains(), in: scene.maple).domains.compactMap(\.record)
            #expect(resealed.map(\.value) != [record.value])
        }
    }

    @Test("a domain that another organization has proved stays theirs")
    func taken() async throws {
        try await Self.with { scene, head, record in
            try await scene.database.write { transaction in
                let oak = try Organization.insert(
                    name: "Oak", kind: .school, at: scene.school.fixed.now, in: transaction)
                try Domain.put(
                    Self.domain, verifiedAt: scene.school.fixed.now, of: oak.id, at: scene.school.fixed.now,
                    in: transaction)
            }
            scene.zone.add(record.value, at: record.name)
            #expect(await Self.refusal(head)?.contains(Self.domain) == true)
            #expect(try await !Self.isVerified(scene))
        }
    }
}
