import Storage

extension District {
    /// All data of the organization that an import may change, with one line for each row. Leaves out when a row was
    /// last changed and which import added it.
    func dump() async throws -> [String] {
        let queries = [
            "location": ["id", "source", "source_id", "name", "time_zone", "created_at", "archived_at"],
            "person": [
                "id", "source", "source_id", "given_name", "middle_name", "family_name", "email", "grade",
                "person_number", "sis_username", "user_name", "password_policy", "state", "deactivated_at",
                "missing_since", "created_at",
            ],
            "role_assignment": ["person_id", "location_id", "role", "roster_role", "source", "position"],
            "course": ["id", "source", "source_id", "number", "name", "location_id", "created_at", "archived_at"],
            "class": [
                "id", "source", "source_id", "course_id", "location_id", "number", "name", "display_name", "room",
                "term_id", "created_at", "missing_since", "archived_at",
            ],
            "class_instructor": ["class_id", "person_id", "position"],
            "class_student": ["class_id", "person_id", "roster_id"],
        ]
        return try await database.read { transaction in
            try queries.sorted { $0.key < $1.key }.flatMap { table, columns in
                let row = columns.map { "COALESCE(CAST(\($0) AS TEXT), '-')" }.joined(separator: " || '|' || ")
                return try transaction.all("SELECT '\(table) ' || \(row) FROM \(table)") { try $0[0] as String }
                    .sorted()
            }
        }
    }
}
