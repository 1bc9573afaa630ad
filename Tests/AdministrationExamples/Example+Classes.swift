import Administration
import Directory
import Fixtures
import Storage

extension Example {
    /// About the first class of the scene: the one that an Instructor teaches, or the choir.
    package static let classes: [Example] = [
        .inquiry { _ in ListClasses() },
        .ofClass(ask: { ShowClass(class: $0) }),
        .change { AddClass(name: "Chess", at: LocationReference("Maple District Main"), students: [$0]) },
        .ofClass { reference -> EditClass in
            var edit = EditClass(class: reference)
            edit.room = "12"
            return edit
        },
        .ofClass { ArchiveClass(class: $0) },
        .ofClass({ RestoreClass(class: $0) }, isArchived: true),
        .ofClass({ RemoveClass(class: $0) }, isArchived: true),
    ]

    private static func ofClass<C: Change>(
        _ make: @escaping @Sendable (ClassReference) -> C, isArchived: Bool = false
    ) -> Example {
        changeInScene({ make(try await $1.firstClass()) }) { scene, person in
            try await scene.makeClass(of: person)
            guard isArchived else { return }
            _ = try await scene.operator.perform(ArchiveClass(class: try await scene.firstClass()), in: scene.maple)
        }
    }

    private static func ofClass<I: Inquiry>(ask make: @escaping @Sendable (ClassReference) -> I) -> Example {
        inquiryInScene({ make(try await $1.firstClass()) }) { scene, person in
            try await scene.makeClass(of: person)
        }
    }
}

extension Scene {
    /// For an operator of a server with two schools.
    package var maple: OrganizationReference { .named(school.organization.publicID) }

    fileprivate func makeClass(of person: Person) async throws {
        _ = try await school.insertClass("Choir", students: [person])
    }

    fileprivate func firstClass() async throws -> ClassReference {
        let id = try await database.read { try $0.first("SELECT MIN(id) FROM class") { try $0[0] as Int? } } ?? nil
        return ClassReference("CL-\(id ?? 0)")
    }

    /// All classes with their members, archived ones included.
    package static func classes(in transaction: some Transaction) throws -> [String] {
        try transaction.all(
            "SELECT id, name, display_name, number, room, location_id, archived_at FROM class ORDER BY id"
        ) { row in
            "class \(try row["id"] as Int) \(try row["name"] as String) \(try row["display_name"] as String?) "
                + "\(try row["number"] as String?) \(try row["room"] as String?) \(try row["location_id"] as Int?) "
                + "\(try row["archived_at"] as Int?)"
        }
            + transaction.all(
                "SELECT name, first_day, last_day, closed_at FROM term ORDER BY id"
            ) { row in
                "term \(try row["name"] as String) \(try row["first_day"] as String) "
                    + "\(try row["last_day"] as String) \(try row["closed_at"] as Int?)"
            }
            + ["class_instructor", "class_student"].flatMap { table in
                try transaction.all("SELECT class_id, person_id FROM \(table) ORDER BY class_id, person_id") {
                    "\(table) \(try $0["class_id"] as Int) \(try $0["person_id"] as Int)"
                }
            }
    }
}
