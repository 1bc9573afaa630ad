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

/// Previews of changes that end something for many people: a page shows them at each look, so that they only read.
@Suite struct ForeseenTests {
    /// Has the change foreseen by somebody who can only read, carries it out, and compares.
    private static func check(
        _ change: some Change, by caller: Administrator.Caller = .operator, in scene: Scene,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let reader = Administrator(
            caller, from: .system, database: DyingDatabase(scene.database, writes: 0), services: scene.services)
        let preview = try await reader.preview(change, in: scene.maple)
        let done = try await scene.administrator(caller).perform(change, in: scene.maple, ifVersion: preview.version)
        #expect(!done.effects.isEmpty && preview.effects == done.effects, sourceLocation: sourceLocation)
        await #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
            try await reader.preview(change, in: scene.maple)
        }
    }

    @Test("closing an organization writes nothing before it is confirmed", arguments: TestDatabase.available)
    func organization(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.giveConsent()
            try await scene.signIn(scene.pupil, to: app)
            let head = try await scene.holder(of: .administrator, at: nil)
            try await Self.check(CloseOrganization(eraseAfterDays: 40), by: .person(head.id), in: scene)
        }
    }

    @Test("removing an app writes nothing before it is confirmed", arguments: TestDatabase.available)
    func app(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.giveConsent()
            try await scene.signIn(scene.pupil, to: app)
            try await Self.check(RemoveApp(app: AppReference(app.app.id)), in: scene)
        }
    }

    @Test("removing a sandbox writes nothing before it is confirmed", arguments: TestDatabase.available)
    func sandbox(_ kind: TestDatabase) async throws {
        try await SandboxTests.Stage.with(kind) { stage in
            try await Self.check(RemoveSandbox(team: SandboxTests.team), in: stage.scene)
        }
    }

    private static let year = TermReference("2026/27")

    private static func addTerm(_ scene: Scene) async throws {
        _ = try await scene.operator.perform(
            AddTerm(name: "2026/27", firstDay: "2026-08-17", lastDay: "2027-07-02"), in: scene.maple)
    }

    private static func putAllClassesIntoTheTerm(_ scene: Scene) async throws {
        try await scene.database.write { _ = try $0.execute("UPDATE class SET term_id = (SELECT id FROM term)") }
    }

    @Test(
        "closing a term and opening it again write nothing before they are confirmed", arguments: TestDatabase.available
    )
    func term(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await Self.addTerm(scene)
            for place in ["Maple District Main", "Annex", "Annex"] {
                _ = try await scene.operator.perform(
                    AddClass(name: "Choir", at: LocationReference(place)), in: scene.maple)
            }
            try await Self.putAllClassesIntoTheTerm(scene)
            try await Self.check(CloseTerm(term: Self.year), in: scene)
            try await Self.check(ReopenTerm(term: Self.year), in: scene)
        }
    }

    @Test("of more than a thousand classes a preview reads no more than it needs to say so")
    func manyClasses() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.addTerm(scene)
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            try await scene.database.write { transaction in
                for number in 1...1_001 {
                    _ = try RosterClass.insert(
                        in: organization, name: "Class \(number)", location: nil, instructors: [], students: [],
                        at: now,
                        in: transaction)
                }
            }
            try await Self.putAllClassesIntoTheTerm(scene)
            let preview = try await scene.operator.preview(CloseTerm(term: Self.year), in: scene.maple)
            #expect(preview.effects.map(\.detail) == ["closed", "more than 1000 classes archived"])
            let done = try await scene.operator.perform(CloseTerm(term: Self.year), in: scene.maple)
            #expect(done.effects.last?.detail.hasPrefix("1001 classes archived: CL-") == true)
        }
    }
}
