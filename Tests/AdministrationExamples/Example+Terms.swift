import Administration
import Directory
import Fixtures
import Storage

extension Example {
    /// About a term of the location at which the pupil is, with one class.
    package static let terms: [Example] = [
        .inquiry { _ in ListTerms() },
        .inquiry { _ in ListDueDates() },
        .change { _ in
            AddTerm(
                name: "2027/28", firstDay: "2027-08-16", lastDay: "2028-07-02",
                at: LocationReference("Maple District Main"))
        },
        .change({ _ in EditTerm(term: year, lastDay: "2027-07-09") }, after: makeYear),
        .change({ _ in CloseTerm(term: year) }, after: makeYear),
        .change({ _ in ReopenTerm(term: year) }) { scene, person in
            try await makeYear(scene, person)
            _ = try await scene.operator.perform(CloseTerm(term: year), in: scene.maple)
        },
    ]

    private static let year = TermReference("2026/27")

    @Sendable private static func makeYear(_ scene: Scene, _ person: Person) async throws {
        _ = try await scene.operator.perform(
            AddTerm(
                name: "2026/27", firstDay: "2026-08-17", lastDay: "2027-07-02",
                at: LocationReference("Maple District Main")), in: scene.maple)
        let id = try await scene.school.insertClass("Choir", students: [person])
        var edit = EditClass(class: ClassReference(id))
        edit.term = year
        _ = try await scene.operator.perform(edit, in: scene.maple)
    }
}
