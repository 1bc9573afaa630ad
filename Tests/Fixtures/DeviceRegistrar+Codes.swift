import Directory
import Storage

extension DeviceRegistrar {
    /// A code that registers a device of the person, as the operator makes one.
    package static func issueCode(
        for person: Person, in database: any Database, _ fixed: FixedSurroundings
    ) async throws -> String {
        try await database.write { transaction in
            let person = try Person.find(person.id, in: transaction) ?? person
            let code = try makeCode(for: person, at: fixed.now, from: fixed.surroundings, in: transaction)
            try AuditEntry(
                .deviceCodeIssued, by: .operator, on: "person:\(person.id.rawValue)", outcome: .done, from: .commandLine
            ).append(to: person.organizationID, at: fixed.now, in: transaction)
            return code.text
        }
    }
}
