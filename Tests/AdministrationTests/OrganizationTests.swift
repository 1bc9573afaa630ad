import Administration
import AdministrationExamples
import Directory
import Fixtures
import RosterFiles
import Storage
import TestSupport
import Testing

@Suite struct OrganizationTests {
    @Test(
        "settings are taken back exactly, and what changes nothing is no change", arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let before = try await scene.operator.ask(ShowOrganization())
            var change = SetOrganization.plum
            change.name = " Maple Union "
            change.asksEveryTime = true
            change.userNameFormat = "{person_id}@maple.example"
            change.sessionHours = 2
            change.idleMinutes = 10
            change.language = "ja"
            change.termsURL = " https://maple.example/terms?v=2 "
            let done = try await scene.operator.perform(change, in: scene.maple)
            #expect(done.answer.name == "Maple Union" && done.answer.colour == .plum && done.answer.asksEveryTime)
            #expect(done.answer.sessionHours == 2 && done.answer.idleMinutes == 10 && done.answer.language == "ja")
            #expect(done.answer.termsURL == "https://maple.example/terms?v=2")
            #expect(done.answer.importThresholds.removedPercent == 20 && done.answer.version != before.version)
            #expect(
                done.effects.map(\.detail) == [
                    """
                    name, colour plum, user-name format, removed 20 %, what locations have without their own, \
                    each sign-in confirmed, signed in for 2 hours, \
                    signed out after 10 minutes without use, language ja, terms
                    """
                ])
            let same = try await scene.operator.perform(change)
            #expect(same.effects.isEmpty && same.change == nil && same.answer == done.answer)
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await scene.operator.ask(ShowOrganization()) == before)
        }
    }

    @Test("whoever has seen other settings is refused, and so is what cannot be")
    func refusals() async throws {
        try await Scene.with(.sqlite) { scene in
            let seen = try await scene.operator.ask(ShowOrganization()).version
            _ = try await scene.operator.perform(SetOrganization.plum, ifVersion: seen)
            let before = try await scene.state()
            var change = SetOrganization()
            change.name = "Maple Union"
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(change, ifVersion: seen)
            }
            _ = try await School.insert(in: scene.database, scene.school.fixed, name: "Oak District")
            change.name = "Oak District "
            await #expect(
                throws: OperationError.refused("Another organization is called “Oak District”. Choose another name.")
            ) { try await scene.operator.perform(change, in: scene.maple) }
            var percent = SetOrganization()
            percent.removedPercent = 101
            await #expect(throws: DirectoryError.self) { try await scene.operator.perform(percent, in: scene.maple) }
            for (hours, minutes, language, terms) in [
                (0, nil, nil, nil), (13, nil, nil, nil), (nil, 4, nil, nil), (nil, 721, nil, nil),
                (nil, nil, "fr", nil),
                (nil, nil, nil, "http://maple.example/terms"), (nil, nil, nil, "javascript:alert(1)"),
                (nil, nil, nil, "maple.example/terms"), (nil, nil, nil, "https://maple.example/\u{202e}"),
                (nil, nil, nil, "https://" + String(repeating: "a", count: 1_100)),
            ] as [(Int?, Int?, String?, String?)] {
                var rules = SetOrganization()
                rules.sessionHours = hours
                rules.idleMinutes = minutes
                rules.language = language
                rules.termsURL = terms
                await #expect(throws: (any Error).self, "\(rules)") {
                    try await scene.operator.perform(rules, in: scene.maple)
                }
            }
            var zone = SetOrganization()
            zone.locationTimeZone = "Asia/Tokyo"
            zone.clear = [.locationTimeZone]
            await #expect(
                throws: OperationError.invalid(field: "locationTimeZone", reason: "is given and also to be empty")
            ) { try await scene.operator.perform(zone, in: scene.maple) }
            #expect(try await scene.state() == before)
        }
    }

    @Test("an Administrator lists the own organization, and the operator all")
    func lists() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await School.insert(in: scene.database, scene.school.fixed, name: "Oak District")
            let head = try await scene.holder(of: .administrator, at: nil)
            func names(_ administrator: Administrator) async throws -> [String] {
                try await administrator.ask(ListOrganizations(testSchool: true)).organizations.map(\.name)
            }
            #expect(try await names(scene.operator) == ["Maple District", "Oak District"])
            #expect(try await names(scene.administrator(.person(head.id))) == ["Maple District"])
        }
    }

    @Test(
        "only the operator vouches for a domain, also where a change is taken back", arguments: TestDatabase.available)
    func domains(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = scene.administrator(.person(try await scene.holder(of: .administrator, at: nil).id))
            let name = "pupils.maple.example"
            await #expect(throws: OperationError.forbidden(.operateServer)) {
                try await head.perform(AddDomain(domain: name, verified: true))
            }
            let added = try await head.perform(AddDomain(domain: "Pupils.Maple.example"))
            #expect(added.answer.name == name && added.answer.verifiedAt == nil)
            #expect(added.answer.personalAccounts == nil)
            await #expect(throws: OperationError.forbidden(.operateServer)) {
                try await head.perform(VerifyDomain(domain: name))
            }
            #expect(try await scene.operator.perform(VerifyDomain(domain: name)).answer.verifiedAt != nil)
            #expect(try await head.perform(AddDomain(domain: name)).effects.isEmpty)

            // What the operator takes away comes back by nobody else.
            let taken = try #require(try await scene.operator.perform(RemoveDomain(domain: name)).change)
            await #expect(throws: OperationError.forbidden(.operateServer)) { try await head.undo(taken) }
            _ = try await scene.operator.undo(taken)
            #expect(try await head.ask(ListDomains()).domains.map { $0.verifiedAt != nil } == [true])
            let given = try #require(try await head.perform(RemoveDomain(domain: name)).change)
            _ = try await head.undo(given)
            #expect(try await head.ask(ListDomains()).domains.map { $0.verifiedAt != nil } == [false])
            await #expect(throws: OperationError.notFound(.domain, "oak.example", in: "Maple District")) {
                try await head.perform(RemoveDomain(domain: "Oak.example"))
            }
        }
    }
}
