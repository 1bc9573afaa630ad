import Directory
import Storage

/// Adds a term or a school year, to which classes can belong.
package struct AddTerm: Change {
    package typealias Answer = TermRecord

    package static let name = "term.add"
    package static let summary = "Adds a term or a school year, to which classes can belong."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "terms")
    package static let explanations = [
        "name": "The name, for example 2026/27.",
        "firstDay": "The first day, as 2026-08-17.",
        "lastDay": "The last day.",
        "at": "The only place of its classes: a location's id, its name, or `LO:` and its number.",
    ]
    package static let undo = UndoRule.impossible("A term without classes does no harm; it can be edited and closed.")

    package let name: String
    package let firstDay: String
    package let lastDay: String
    package let at: LocationReference?

    package init(name: String, firstDay: String, lastDay: String, at: LocationReference? = nil) {
        self.name = name
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.at = at
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ClassToBe {
        let organization = try context.organizationToChange(transaction)
        return ClassToBe(organization: organization, location: try at?.find(in: organization, transaction))
    }

    package func carryOut(on place: ClassToBe, _: Void, in act: Act) throws -> TermRecord {
        let organization = place.organization
        guard organization.kind == .school else {
            throw OperationError.refused("\(organization.name) is a business; terms belong to schools.")
        }
        let name = try FieldRule.name.check(name, field: "term name")
        try Self.refuseTaken(name, in: organization.id, act)
        let term = try Term.insert(
            in: organization.id, name: name, firstDay: try .checked(firstDay, field: "first day"),
            lastDay: try .checked(lastDay, field: "last day"), location: place.location?.id, at: act.now,
            in: act.transaction)
        try act.record(.termChanged, on: term, called: name, "added")
        return try TermRecord(term, in: act.transaction)
    }

    static func refuseTaken(_ name: String, in organization: OrganizationID, _ act: Act) throws {
        guard try Term.find(name, in: organization, act.transaction) == nil else {
            throw OperationError.refused("There is a term “\(name)” already. Choose another name.")
        }
    }
}

extension CalendarDay {
    /// - Throws: ``OperationError/invalid(field:reason:)``
    static func checked(_ text: String, field: String) throws -> CalendarDay {
        guard let day = CalendarDay(text) else {
            throw OperationError.invalid(field: field, reason: "is no day; write it as 2026-08-17")
        }
        return day
    }
}
