import Storage

extension WriteTransaction {
    /// Locks the tables that an import or an id map reads or writes, so that other writers wait as they do in SQLite.
    /// PostgreSQL would let them go on, and then fail the import or map, after minutes of work, with a serialization
    /// error.
    ///
    /// - Parameter others: further tables. The audit trail comes last, as every transaction writes it last: two that
    ///   wait for each other are thus avoided.
    package func lockRoster(and others: [String] = []) throws {
        guard dialect == .postgres else { return }
        let tables = [
            "term", "location", "course", "class", "person", "role_assignment", "class_instructor", "class_student",
            "roster_import",
        ]
        try execute("LOCK TABLE \((tables + others).joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE")
    }
}
