import Directory

extension AuditEntry {
    static func roleAdded(_ role: Role, at location: Location?, to person: Person) -> AuditEntry {
        roleChanged("added", role, at: location, of: person)
    }

    static func roleRemoved(_ role: Role, at location: Location?, from person: Person) -> AuditEntry {
        roleChanged("removed", role, at: location, of: person)
    }

    private static func roleChanged(
        _ change: String, _ role: Role, at location: Location?, of person: Person
    ) -> AuditEntry {
        AuditEntry(
            .personChanged, by: .operator, on: "person:\(person.id.rawValue)", outcome: .done,
            detail:
                "role \(role.rawValue) at \(location.map { "location:\($0.id.rawValue)" } ?? "the organization") \(change)",
            from: .commandLine)
    }
}
