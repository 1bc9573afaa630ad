import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct OrganizationErasureTests {
    private static let day: TimeInterval = 86_400

    /// Texts that only Maple District has, and that have to go.
    private static let marks = [
        "pupil@maple", "head@maple", "Choir", "Annex", "Timetable", "Pupil", "2026/27",
    ]

    private static func fill(_ scene: Scene) async throws {
        _ = try await scene.school.insertClass("Choir", students: [scene.pupil])
        _ = try await scene.operator.perform(
            AddTerm(name: "2026/27", firstDay: "2026-08-17", lastDay: "2027-07-02"), in: scene.maple)
        _ = try await scene.operator.perform(
            AddDomain(domain: "pupils.maple.example", verified: true), in: scene.maple)
        _ = try await scene.operator.perform(
            AddAPIClient(name: "Timetable", privileges: [.readPeople]), in: scene.maple)
        _ = try await scene.operator.perform(SetOrganization.plum, in: scene.maple)
        _ = try await scene.operator.perform(SetRetention(kind: .leftPeople, days: 365), in: scene.maple)
        _ = try await scene.operator.perform(SetSharing.students, in: scene.maple)
        // The person is of a file, which a rule or an administrator could not erase while it names the person.
        try await scene.database.write { transaction in
            try transaction.execute(
                "UPDATE person SET source = 'csv', source_id = 'S-1' WHERE id = $1", [scene.pupil.id])
            try transaction.execute(
                """
                INSERT INTO roster_import (organization_id, digest, summary, applied_at) VALUES ($1, '', '{}', 0)
                """, [scene.school.organization.id])
        }
    }

    @Test(
        "on its day all goes but what has to stay, and whom a hold covers goes when it has ended",
        arguments: TestDatabase.available)
    func erases(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (school, sweep) = (
                scene.school, RetentionSweep(database: scene.database, services: scene.services)
            )
            let app = try await scene.giveConsent()
            try await scene.signIn(scene.pupil, to: app)
            try await Self.fill(scene)
            try await SearchIndexes.bringUpToDate(in: scene.database)
            let oak = try await School.insert(in: scene.database, school.fixed, name: "Oak District")
            let other = try await oak.insertPerson("acorn", .student)
            _ = try await oak.insertClass("Oak choir", students: [other])
            let held = try await school.insertPerson("held", .student)
            _ = try await scene.operator.perform(
                AddHold(person: PersonReference(held.id), reason: "A court", until: "2026-10-20"), in: scene.maple)
            try await scene.closeMaple()

            school.fixed.advance(by: 29.5 * Self.day)
            try await sweep.run()
            #expect(try await scene.operator.ask(ListPeople(), in: scene.maple).people.count == 3)
            school.fixed.advance(by: 1 * Self.day)
            try await sweep.run()
            #expect(
                try await scene.operator.ask(ListPeople(), in: scene.maple).people.map(\.number) == [held.id.rawValue])
            #expect(try await scene.operator.ask(ShowOrganization(), in: scene.maple).classes == 1)

            school.fixed.advance(by: 20 * Self.day)
            try await sweep.run()
            let record = try await scene.operator.ask(ShowOrganization(), in: scene.maple)
            #expect(record.erasedAt == school.fixed.now && record.people == 0 && record.classes == 0)
            #expect(record.locations == 0 && record.domains.isEmpty && record.name == "Maple District")
            let left = try await Contents.of(scene.database).filter { cell in
                Self.marks.contains { cell.text.contains($0) } && !cell.text.contains("Oak")
            }
            #expect(left.map { "\($0.table).\($0.column) \($0.text)" } == [])
            // Erased people are not forgotten, and each was told about once.
            #expect(try await scene.operator.ask(ListErasures(), in: scene.maple).erasures.count == 3)
            let trail = try await scene.trail()
            #expect(trail.filter { $0.contains("person.erased") && $0.contains("erased: names") }.count == 3)
            #expect(trail.filter { $0.contains("organization.erased") }.count == 1)
            try await sweep.run()
            #expect(try await scene.trail() == trail)
            // Others lose nothing, and need not say any more which organization they mean.
            let rest = try await scene.operator.ask(ShowOrganization())
            #expect(rest.name == "Oak District" && rest.people == 1 && rest.classes == 1 && rest.locations == 1)
            #expect(try await SearchIndexCheck.differences(in: scene.database) == [])
        }
    }

    @Test(
        "what is interrupted goes on from the next person, and nobody is erased twice",
        arguments: TestDatabase.available)
    func interrupted(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.giveConsent()
            for number in 0..<6 { _ = try await scene.school.insertPerson("p\(number)", .student) }
            try await Self.fill(scene)
            try await scene.closeMaple()
            scene.school.fixed.advance(by: 30 * Self.day)
            var attempts = 0
            while try await scene.operator.ask(ShowOrganization(), in: scene.maple).erasedAt == nil {
                attempts += 1
                guard attempts < 50 else {
                    Issue.record("it does not end")
                    return
                }
                try? await RetentionSweep(
                    database: DyingDatabase(scene.database, writes: 3), services: scene.services
                ).run()
            }
            #expect(attempts > 5)
            let trail = try await scene.trail().filter { $0.contains("person.erased") && $0.contains("erased: names") }
            #expect(trail.count == 8 && Set(trail).count == 8)
            #expect(try await scene.operator.ask(ListErasures(), in: scene.maple).erasures.count == 8)
        }
    }
}
