import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Every role and every operation, over the API: what a role may do works, and all else is refused and changes nothing.
@Suite struct GridAPITests {
    @Test("what the grid says follows from the privileges of the roles")
    func privileges() {
        #expect(Set(Example.all.map(\.name)) == Set(OperationCatalog.all.map { $0.name }))
        for operation in OperationCatalog.all {
            let holders = Set(Role.allCases.filter { $0.usualPrivileges.contains(operation.privilege) })
            let (onAll, atOwnPlace) = (Grid.allowedOnAll(operation.name), Grid.allowedAtOwnPlace(operation.name))
            switch operation.name {
            // Joining needs an invitation and no role. Only pupils may not.
            case JoinTeam.name: #expect(holders.isEmpty && onAll == atOwnPlace)
            // The privilege is not enough for what ends everything, nor for what decides who is signed in.
            case CloseOrganization.name, SetRealm.name, RemoveRealm.name:
                #expect(onAll.isStrictSubset(of: holders) && atOwnPlace.isEmpty)
            default: #expect(onAll == holders && atOwnPlace.isSubset(of: onAll), "\(operation.name)")
            }
        }
    }

    /// Every so many-th operation, on one server.
    struct Share: Sendable, CustomStringConvertible {
        let kind: TestDatabase
        let first: Int
        let step: Int

        /// All operations on SQLite, and some on PostgreSQL, where a new database for each school takes longer.
        static let all: [Share] = TestDatabase.available.flatMap { kind in
            switch kind {
            case .sqlite: (0..<2).map { Share(kind: kind, first: $0, step: 2) }
            case .postgres: [Share(kind: kind, first: 3, step: 10)]
            }
        }

        var description: String { "\(kind), every \(step)th from \(first)" }
    }

    @Test(
        "each role, held for all places, at the right or another one, does what the grid says; all else gets 403 and changes nothing",
        arguments: Share.all)
    func grid(_ share: Share) async throws {
        try await Gate.servers.admit {
            try await share.kind.with { first in
                let switched = SwitchedDatabase(first)
                let home = try await Scene.insert(in: switched)
                try await TestServer.run(home, configure: Self.configure) { server in
                    let walk = GridWalk(kind: share.kind, server: server, switched: switched)
                    for index in stride(from: share.first, to: Example.all.count, by: share.step) {
                        try await walk.check(Example.all[index])
                    }
                }
            }
        }
    }

    /// Nothing but jobs happens by itself, and nobody asks too often.
    @Sendable private static func configure(_ configuration: inout ServerConfiguration) {
        configuration.notificationInterval = .seconds(3_600)
        configuration.pickUpInterval = .seconds(3_600)
        configuration.pickUpFolder = "/nowhere"
        configuration.signOnProfile = AdministrationExamples.Scene.signOnProfile
        configuration.rateLimit.burst = 1_000_000
    }
}

/// Leads every role through the operations on one server, which gets a new school for what changes something.
private struct GridWalk: Sendable {
    let kind: TestDatabase
    let server: TestServer
    let switched: SwitchedDatabase

    func check(_ example: Example) async throws {
        let (together, alone) = Standing.shared(example)
        try await inSchool(example, together) { scene, callers in
            let before = try await scene.database.everything()
            var refused: [Person] = []
            for (standing, person, administrator) in callers {
                if standing.may(example) {
                    try await carryOut(example, by: standing, administrator, in: scene)
                } else {
                    try await beRefused(example, by: standing, administrator, in: scene)
                    refused.append(person)
                }
            }
            let changed = Set(try await scene.database.everything()).symmetricDifference(before)
            #expect(changed.isEmpty, "\(example)")
            try await checkTrail(of: example, refused, in: scene)
        }
        for standing in alone {
            try await inSchool(example, [standing]) { scene, callers in
                try await carryOut(example, by: standing, callers[0].administrator, in: scene)
            }
        }
    }

    private typealias Caller = (standing: Standing, person: Person, administrator: APIAdministrator)

    /// A new school, in which the operation has something to do, and somebody with a token for each standing.
    private func inSchool(
        _ example: Example, _ standings: [Standing],
        _ body: (AdministrationExamples.Scene, [Caller]) async throws -> Void
    ) async throws {
        try await AdministrationExamples.Scene.with(kind, server.fixed, under: server.scene.masterKey) { scene in
            let people = try await scene.insert(standings)
            try await example.prepare(scene, scene.pupil)
            let tokens = try await APIAdministrator.tokens(
                for: people, in: scene.database, until: server.fixed.now.addingTimeInterval(3_600),
                from: server.fixed.surroundings)
            let callers = zip(standings, zip(people, tokens)).map { standing, holder in
                let administrator = APIAdministrator(
                    browser: server.browser(), token: holder.1, organization: scene.school.organization.publicID)
                return (standing: standing, person: holder.0, administrator: administrator)
            }
            try await switched.with(scene.database) { try await body(scene, callers) }
        }
    }

    private func carryOut(
        _ example: Example, by standing: Standing, _ administrator: APIAdministrator,
        in scene: AdministrationExamples.Scene
    ) async throws {
        do {
            let effects = try await example.perform(administrator, scene.pupil, scene)
            #expect(example.preview == nil || !effects.isEmpty, "\(standing) \(example)")
        } catch let refusal as APIAdministrator.Refusal {
            // No name server answers this server, and until it asks one, it has found nothing to refuse.
            let isUnproven = example.name == ProveDomain.name && refusal.answer.status == 409
            #expect(isUnproven && refusal.answer.body.contains("name server"), "\(standing) \(example): \(refusal)")
        }
    }

    private func beRefused(
        _ example: Example, by standing: Standing, _ administrator: APIAdministrator,
        in scene: AdministrationExamples.Scene
    ) async throws {
        do {
            _ = try await example.perform(administrator, scene.pupil, scene)
            Issue.record("\(standing) may \(example)")
        } catch let refusal as APIAdministrator.Refusal {
            let (answer, json) = (refusal.answer, refusal.answer.json)
            // Nobody of a closed organization is let in at all.
            let isClosed = example.name == ReopenOrganization.name
            #expect(answer.status == (isClosed ? 401 : 403), "\(standing) \(example): \(refusal)")
            #expect(answer["Content-Type"] == "application/problem+json")
            let type = "urn:lanyard:problem:\(isClosed ? "unauthorized" : "forbidden")"
            #expect(json["type"] as? String == type && json["status"] as? Int == answer.status)
        }
    }

    /// Each refusal has left one line, and of nobody else.
    private func checkTrail(
        of example: Example, _ refused: [Person], in scene: AdministrationExamples.Scene
    ) async throws {
        let organization = scene.school.organization.id.rawValue
        let told = try await scene.trail().filter { $0.contains(" administration.refused ") }
        let expected =
            example.name == ReopenOrganization.name
            ? []
            : refused.map {
                "person:\($0.id.rawValue) administration.refused organization:\(organization) refused \(example.name)"
            }
        #expect(told.map { $0.components(separatedBy: " needs ")[0] }.sorted() == expected.sorted())
    }
}
