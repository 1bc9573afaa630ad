import Directory
import Storage

/// Changes the name or the days of a term.
package struct EditTerm: Change {
    package typealias Answer = TermRecord

    package static let name = "term.edit"
    package static let summary = "Changes the name or the days of a term. What is left out stays as it is."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "terms/{term}")
    package static let explanations = [
        "term": TermReference.explanation,
        "name": "The new name.",
        "firstDay": "The first day, as 2026-08-17.",
        "lastDay": "The last day.",
    ]
    package static let undo = UndoRule.possible

    package let term: TermReference
    package let name: String?
    package let firstDay: String?
    package let lastDay: String?

    package init(term: TermReference, name: String? = nil, firstDay: String? = nil, lastDay: String? = nil) {
        self.term = term
        self.name = name
        self.firstDay = firstDay
        self.lastDay = lastDay
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Term {
        try term.find(in: context.organizationToChange(transaction), transaction)
    }

    package func carryOut(on term: Term, _: Void, in act: Act) throws -> TermRecord {
        let name = try name.map { try FieldRule.name.check($0, field: "term name") } ?? term.name
        if name != term.name { try AddTerm.refuseTaken(name, in: term.organizationID, act) }
        let firstDay = try firstDay.map { try CalendarDay.checked($0, field: "first day") } ?? term.firstDay
        let lastDay = try lastDay.map { try CalendarDay.checked($0, field: "last day") } ?? term.lastDay
        guard (name, firstDay, lastDay) != (term.name, term.firstDay, term.lastDay) else {
            throw OperationError.refused("\(term.name) is so already.")
        }
        try term.update(name: name, firstDay: firstDay, lastDay: lastDay, in: act.transaction)
        try act.record(.termChanged, on: term, called: name, "edited")
        act.undo(
            by: EditTerm(
                term: TermReference(name), name: term.name, firstDay: term.firstDay.text, lastDay: term.lastDay.text))
        return try TermRecord(term, in: act.transaction)
    }
}
