import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct CalendarTests {
    @Test(
        "what is due is there with its day and its number, and goes when it is dealt with",
        arguments: TestDatabase.available)
    func dates(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            #expect(try await scene.operator.ask(ListDueDates()).dates == [])
            let pupil = PersonReference(scene.pupil.id)
            _ = try await scene.operator.perform(
                AddTerm(name: "2026/27", firstDay: "2026-08-17", lastDay: "2027-07-02"))
            var edit = EditClass(class: ClassReference(try await scene.school.insertClass("Choir")))
            edit.term = TermReference("2026/27")
            _ = try await scene.operator.perform(edit)
            _ = try await scene.operator.perform(IssuePassword(person: pupil))
            let (organization, now) = (scene.school.organization, scene.school.fixed.now)
            try await scene.database.write { transaction in
                try AuditEntry(
                    .rosterImported, by: .operator, on: "organization:\(organization.publicID)", outcome: .refused,
                    detail: "plan 1 is held", from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
            }

            // The clock of the scene stands at 2026-09-01, and temporary passwords are good for 90 days.
            let dates = try await scene.operator.ask(ListDueDates()).dates
            #expect(dates.map(\.on.text) == ["2026-09-01", "2026-11-30", "2027-07-02"])
            #expect(dates.map(\.kind) == [.importIsHeld, .passwordsEnd, .termEnds])
            #expect(dates.map(\.count) == [1, 1, 1])
            #expect(dates.map(\.planID) == ["1", nil, nil])
            #expect(dates.map(\.location) == [nil, "Maple District Main", nil])

            _ = try await scene.operator.perform(CloseTerm(term: TermReference("2026/27")))
            _ = try await scene.operator.perform(DeactivatePerson(person: pupil))
            #expect(try await scene.operator.ask(ListDueDates()).dates.map(\.kind) == [.importIsHeld])
        }
    }
}
