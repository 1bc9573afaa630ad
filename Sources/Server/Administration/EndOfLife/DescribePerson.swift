import Directory
import Storage

/// Gives all that the server holds about one person. The audit trail records it as an export, whoever asks.
package struct DescribePerson: Inquiry {
    package typealias Answer = PersonData

    package static let name = "person.data"
    package static let summary = "Gives all that the server holds about one person: what parents may ask for."
    package static let privilege = Privilege.readAudit
    package static let route = OperationRoute(.get, "people/{person}/data")
    package static let explanations = ["person": "User name, person id, or number, such as `PE-12`."]
    package static let exportAction: AuditEntry.Action? = .personExported

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        let person = try person.find(in: context, transaction)
        // A refusal below would name the record that was kept. Callers without the privilege are refused after this,
        // without a name.
        guard try person.isOpen(to: context.authority, for: Self.privilege, in: transaction) else { return person }
        if let kept = try PersonMerge.destination(of: person.id, in: transaction) {
            throw OperationError.refused(
                "\(person.fullName) (\(person.userName)) was merged into PE-\(kept.rawValue). Ask for that record.")
        }
        return person
    }

    package func answer(
        about person: Person, in context: OperationContext, _ transaction: some Transaction
    ) throws -> PersonData {
        try PersonData(
            of: person, in: person.organizationID.flatMap { try Organization.find($0, in: transaction) },
            at: context.now, transaction)
    }
}
