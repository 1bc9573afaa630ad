import Directory
import Storage

/// Deletes an archived class for good, with its memberships. The people stay.
package struct RemoveClass: Change {
    package typealias Answer = ClassRecord

    package static let name = "class.remove"
    package static let summary = "Deletes an archived class for good, with its memberships. The people stay."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.delete, "classes/{class}")
    package static let explanations = ["class": ClassReference.explanation]
    package static let undo = UndoRule.impossible("What is removed is gone; to archive a class keeps it.")

    package let `class`: ClassReference

    package init(class reference: ClassReference) { self.class = reference }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ManagedClass {
        try self.class.findToChange(in: context, expectingArchived: true, transaction)
    }

    /// - Returns: the class as it was.
    package func carryOut(on subject: ManagedClass, _: Void, in act: Act) throws -> ClassRecord {
        guard subject.isArchived else {
            throw OperationError.refused(
                "\(subject.name) is not archived; only archived classes are removed.",
                remedy: .init(ArchiveClass.name, "CL-\(subject.id.rawValue)"))
        }
        // The next import would add the class again, and apps would take that for another class.
        guard !subject.isDelivered else {
            throw OperationError.refused(
                "The files of the last import have \(subject.name). It can be removed after an import without it.")
        }
        let record = try ClassRecord(subject, in: act.context, act.transaction)
        try subject.remove(in: act.transaction)
        try act.record(
            .classRemoved, on: subject, called: subject.name,
            "with \(record.students.count) students and \(record.instructors.count) instructors")
        return record
    }
}
