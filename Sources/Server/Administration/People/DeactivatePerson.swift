import Authorization
import Directory
import Storage

/// Locks a person out: they cannot sign in, and apps do not see them. All sessions end, registered devices are removed,
/// and the apps that the person used are notified. The record stays.
package struct DeactivatePerson: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.deactivate"
    package static let summary = "Keeps a person out: no sign-in, and apps do not see the person. The record stays."
    package static let privilege = Privilege.managePeople
    package static let route = OperationRoute(.post, "people/{person}/deactivate")
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
        guard try person.deactivate(at: act.now, in: act.transaction) else {
            throw OperationError.refused("\(person.fullName) is deactivated already.")
        }
        try act.record(.personChanged, on: person, called: person.fullName, "deactivated")
        try EndedSignIns.tellOfDeparture(
            of: person.id, by: act.actor, from: act.origin, at: act.now, surroundings: act.surroundings,
            in: act.transaction)
        act.undo(by: ReactivatePerson(person: PersonReference(person.id)))
        return try PersonRecord(person, in: act.transaction)
    }
}
