import Directory
import Storage

/// Shows one person.
package struct ShowPerson: Inquiry {
    package typealias Answer = PersonRecord

    package static let name = "person.show"
    package static let summary = "Shows one person."
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "people/{person}")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`."
    ]

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.find(in: context, transaction)
    }

    package func answer(
        about subject: Person, in context: OperationContext, _ transaction: some Transaction
    ) throws -> PersonRecord { try PersonRecord(subject, in: transaction) }
}
