import Directory
import Storage

/// Shows one class with its members, archived or not.
package struct ShowClass: Inquiry {
    package typealias Answer = ClassRecord

    package static let name = "class.show"
    package static let summary = "Shows one class with its members, archived or not."
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "classes/{class}")
    package static let explanations = ["class": ClassReference.explanation]

    package let `class`: ClassReference

    package init(class reference: ClassReference) { self.class = reference }

    package static func people(in answer: ClassRecord) -> [PersonID]? {
        (answer.instructors + answer.students).map { PersonID(rawValue: $0.number) }
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ManagedClass {
        try self.class.find(
            in: context.requiredOrganization(transaction), expectingArchived: false, transaction)
    }

    package func answer(
        about subject: ManagedClass, in context: OperationContext, _ transaction: some Transaction
    ) throws -> ClassRecord { try ClassRecord(subject, in: context, transaction) }
}

extension ClassReference {
    static let explanation = "The class id, the exact name, or `CL-` and the number."
}
