import Administration
import AdministrationExamples
import Directory
import Fixtures
import RosterFiles
import Storage
import TestSupport
import Testing

/// Inputs by which an operation about the own organization names what another one has. For what an operation itself is
/// about, ``OperationTests`` asks the same.
@Suite struct ForeignReferenceTests {
    /// What Oak District has.
    struct Foreign: Sendable {
        let location: LocationReference
        let rosterClass: ClassReference
        let person: PersonReference
        let applied: ImportReference
        let held: ImportReference
    }

    struct Attempt: Sendable {
        let name: String
        let kind: OperationError.Kind
        let make: @Sendable (Administrator, OrganizationReference, Foreign) async throws -> Void

        static func ask<I: Inquiry>(
            _ kind: OperationError.Kind, _ inquiry: @escaping @Sendable (Foreign) -> I
        ) -> Attempt {
            Attempt(name: I.name, kind: kind) { administrator, place, foreign in
                _ = try await administrator.ask(inquiry(foreign), in: place)
            }
        }

        static func perform<C: Change>(
            _ kind: OperationError.Kind, _ change: @escaping @Sendable (Foreign) -> C
        ) -> Attempt {
            Attempt(name: C.name, kind: kind) { administrator, place, foreign in
                _ = try await administrator.perform(change(foreign), in: place)
            }
        }

        static func preview<C: Change>(
            _ kind: OperationError.Kind, _ change: @escaping @Sendable (Foreign) -> C
        ) -> Attempt {
            Attempt(name: "preview of \(C.name)", kind: kind) { administrator, place, foreign in
                _ = try await administrator.preview(change(foreign), in: place)
            }
        }
    }

    // It cannot fail: the texts of the files are constants of this test, and no file is read.
    private static let archive = try! RosterTexts().archive()

    private static let attempts: [Attempt] = [
        .ask(.location) { ListAudit(at: $0.location) },
        .ask(.person) { ListAudit(person: $0.person) },
        .ask(.location) { ListPeople(at: $0.location) },
        .ask(.class) { ListPeople(class: $0.rosterClass) },
        .perform(.location) { SetPickUp(school: $0.location, hour: 2) },
        .preview(.location) { SetPickUp(school: $0.location, hour: 2) },
        .perform(.location) { ImportRoster(.archive(archive), schools: [$0.location]) },
        .preview(.location) { ImportRoster(.archive(archive), schools: [$0.location]) },
        .perform(.rosterImport) { ImportRoster(.kept($0.applied)) },
        .preview(.rosterImport) { ImportRoster(.kept($0.applied)) },
        .perform(.rosterImport) { ImportRoster(.kept($0.held)) },
        .preview(.rosterImport) { ImportRoster(.kept($0.held)) },
        .perform(.location) { IssuePasswords(at: $0.location) },
        .perform(.class) { IssuePasswords(class: $0.rosterClass) },
        .perform(.location) {
            AddTerm(name: "2027/28", firstDay: "2027-08-16", lastDay: "2028-07-02", at: $0.location)
        },
        .perform(.location) { AddClass(name: "Chess", at: $0.location) },
        .perform(.person) { AddClass(name: "Chess", students: [$0.person]) },
        .perform(.location) {
            AddPerson(
                firstName: "New", lastName: "Pupil", userName: "new.pupil@maple.example", role: .student,
                at: $0.location)
        },
    ]

    @Test("what another organization has is not found, and nothing is changed", arguments: TestDatabase.available)
    func isNotFound(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let foreign = try await Self.foreign(in: scene)
            let head = scene.administrator(.person(try await scene.holder(of: .administrator, at: nil).id))
            let (before, trail) = (try await scene.state(), try await scene.trail())
            for administrator in [head, scene.operator] {
                for attempt in Self.attempts {
                    let error = await #expect(throws: OperationError.self, "\(attempt.name)") {
                        try await attempt.make(administrator, scene.maple, foreign)
                    }
                    guard case .notFound(attempt.kind, _, _) = error else {
                        Issue.record("\(attempt.name): \(String(describing: error))")
                        continue
                    }
                    #expect(try await scene.state() == before, "\(attempt.name)")
                    #expect(try await scene.trail() == trail, "\(attempt.name)")
                }
            }
        }
    }

    private static func foreign(in scene: Scene) async throws -> Foreign {
        let oak = try await School.insert(in: scene.database, scene.school.fixed, name: "Oak District")
        let pupil = try await oak.insertPerson("acorn", .student)
        let place = OrganizationReference.named(oak.organization.publicID)
        func run(_ students: Int) async throws -> ImportRoster.Answer {
            var files = RosterTexts()
            files.students = (1...students).map { "S-\($0),L-1,Pupil,Number\($0),,,4,,," }
            files.rosters = []
            return try await scene.operator.perform(ImportRoster(.archive(files.archive())), in: place).answer
        }
        // Most of them would leave by the second one, so that it is held.
        let (applied, held) = (try await run(80), try await run(20))
        return Foreign(
            location: LocationReference(oak.location.id),
            rosterClass: ClassReference(try await oak.insertClass("Acorns", students: [pupil])),
            person: PersonReference(pupil.id), applied: ImportReference(Int64(try #require(applied.importID))),
            held: ImportReference(try #require(held.planID)))
    }
}
