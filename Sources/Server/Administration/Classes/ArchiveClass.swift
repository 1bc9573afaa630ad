import Directory
import Storage

/// Takes a class from apps at once. It stays in history with its members, and can be restored.
package struct ArchiveClass: Change {
    package typealias Answer = ClassRecord

    package static let name = "class.archive"
    package static let summary = "Takes a class from apps at once. It keeps its members, and can be restored."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "classes/{class}/archive")
    package static let explanations = ["class": ClassReference.explanation]
    package static let undo = UndoRule.possible

    package let `class`: ClassReference

    package init(class reference: ClassReference) { self.class = reference }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ManagedClass {
        try self.class.findToChange(in: context, transaction)
    }

    package func carryOut(on subject: ManagedClass, _: Void, in act: Act) throws -> ClassRecord {
        guard !subject.isArchived else { throw OperationError.refused("\(subject.name) is archived already.") }
        try subject.archive(at: act.now, in: act.transaction)
        try act.record(.classChanged, on: subject, called: subject.name, "archived")
        act.undo(by: RestoreClass(class: ClassReference(subject.id)))
        return try ClassRecord(subject, in: act.context, act.transaction)
    }
}

/// Gives an archived class back to apps, with its members. Imports leave it alone until their files name it again.
package struct RestoreClass: Change {
    package typealias Answer = ClassRecord

    package static let name = "class.restore"
    package static let summary = "Gives an archived class back to apps, with its members."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "classes/{class}/restore")
    package static let explanations = ["class": ClassReference.explanation]
    package static let undo = UndoRule.possible

    package let `class`: ClassReference

    package init(class reference: ClassReference) { self.class = reference }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ManagedClass {
        try self.class.findToChange(in: context, expectingArchived: true, transaction)
    }

    package func carryOut(on subject: ManagedClass, _: Void, in act: Act) throws -> ClassRecord {
        guard subject.isArchived else { throw OperationError.refused("\(subject.name) is not archived.") }
        // Apps would get a class with the id of a location that they cannot read, and an export one without its course.
        if let place = try Location.archived(of: subject.id, in: act.transaction) {
            let isThere = subject.location == place.id
            throw OperationError.refused(
                """
                \(place.name), \(isThere ? "where \(subject.name) is" : "to which the course of \(subject.name) belongs"), was \
                removed. Restore the location first\(isThere ? ", or move the class to another one" : "").
                """, remedy: .init(RestoreLocation.name, "LO:\(place.id.rawValue)"))
        }
        try subject.restore(at: act.now, in: act.transaction)
        try act.record(.classChanged, on: subject, called: subject.name, "restored")
        act.undo(by: ArchiveClass(class: ClassReference(subject.id)))
        return try ClassRecord(subject, in: act.context, act.transaction)
    }
}
