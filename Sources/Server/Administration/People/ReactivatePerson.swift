import Directory
import Storage

/// Undoes a deactivation. The person signs in with the password from before; sessions, sign-ins to apps and registered
/// devices from before do not come back.
package struct ReactivatePerson: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.reactivate"
    package static let summary = "Takes back a deactivation. Former sessions and sign-ins to apps do not come back."
    package static let privilege = Privilege.managePeople
    package static let route = OperationRoute(.post, "people/{person}/reactivate")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`."
    ]
    package static let undo = UndoRule.possible

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.findToChange(in: context, transaction)
    }

    package func carryOut(on person: Person, _: Void, in act: Act) throws -> PersonRecord {
        guard person.state == .deactivated else {
            throw OperationError.refused(
                "\(person.fullName) is not deactivated; the state is \(person.state.rawValue).")
        }
        if let kept = try PersonMerge.destination(of: person.id, in: act.transaction) {
            throw OperationError.refused(
                "\(person.fullName) (\(person.userName)) was merged into PE-\(kept.rawValue): take that back instead.")
        }
        try act.checkPlaces(of: person)
        try person.reactivate(at: act.now, in: act.transaction)
        try act.record(.personChanged, on: person, called: person.fullName, "reactivated")
        act.undo(by: DeactivatePerson(person: PersonReference(person.id)))
        return try PersonRecord(person, in: act.transaction)
    }
}
