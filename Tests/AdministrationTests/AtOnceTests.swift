import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

/// What becomes of a change that several people make at the same moment. Each one in the catalog is asked for.
@Suite struct AtOnceTests {
    private static let times = 4

    @Test(
        "four at once: each is done or refused, as if they had come one after the other, and the trails are whole",
        // Only a person joins a team; see TeamTests.
        arguments: Example.changes.filter { $0.name != JoinTeam.name }, TestDatabase.available)
    func fourAtOnce(_ example: Example, _ kind: TestDatabase) async throws {
        let inTurn = try await Scene.with(kind) { scene in
            try await example.prepare(scene, scene.pupil)
            var outlines: [[String]] = []
            for _ in 0..<Self.times {
                _ = await Self.isDone(example, in: scene)
                outlines.append(try await scene.outline())
            }
            return outlines
        }
        try await Scene.with(kind) { scene in
            try await example.prepare(scene, scene.pupil)
            let outcomes = await concurrently(0..<Self.times) { _ in await Self.isDone(example, in: scene) }
            #expect(outcomes.contains(true))
            let outline = try await scene.outline()
            #expect(inTurn.contains(outline), "\(outline)")
            #expect(try await scene.areTrailsWhole())
        }
    }

    /// - Returns: false if it was refused. Whatever is no refusal, such as an error of the database, reaches nobody.
    private static func isDone(_ example: Example, in scene: Scene) async -> Bool {
        do {
            _ = try await example.perform(scene.operator, scene.pupil, scene)
            return true
        } catch {
            if OperationFailure(error) == nil { Issue.record(error, "\(example.name)") }
            return false
        }
    }
}

extension Scene {
    /// The state without numbers, ids, versions and secrets, which depend on what was tried before; and how many changes
    /// there are to take back.
    fileprivate func outline() async throws -> [String] {
        let changes: Int =
            try await database.read { try $0.first("SELECT COUNT(*) FROM administration_change") { try $0[0] } } ?? 0
        // All lines at once, because each pattern is compiled whenever it is met.
        return try await state().joined(separator: "\n")
            .replacing(/"version":"[^"]*"/, with: "")
            .replacing(/[A-Za-z0-9+\/=_$.,-]{16,}/, with: "…")
            .replacing(/\b[A-Z2-9]{10}\b/, with: "…")
            .replacing(/[0-9]+/, with: "#")
            .split(separator: "\n").map(String.init).sorted() + ["changes \(changes)"]
    }

    /// Whether each entry of the school's trail and of the server's follows from the one before.
    func areTrailsWhole() async throws -> Bool {
        let organization = school.organization.id
        return try await database.read { transaction in
            try [organization, nil].allSatisfy { try AuditRecord.firstBreak(of: $0, in: transaction) == nil }
        }
    }
}
