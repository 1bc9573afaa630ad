import Directory
import Storage

/// Lets a person sign in again without waiting, after too many wrong passwords.
package struct UnlockPerson: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.unlock"
    package static let summary = "Lets a person sign in again at once, after too many wrong passwords."
    package static let privilege = Privilege.issuePasswords
    package static let route = OperationRoute(.post, "people/{person}/unlock")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`."
    ]
    package static let undo = UndoRule.impossible("The count of wrong passwords is forgotten.")

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.findToChange(in: context, transaction)
    }

    package func carryOut(on person: Person, _: Void, in act: Act) throws -> PersonRecord {
        guard try Credential.unlock(person, in: act.transaction) else {
            throw OperationError.refused(
                "Nobody has to wait to sign in as \(person.fullName): there were no wrong passwords.")
        }
        try act.record(.accountUnlocked, on: person, called: person.fullName)
        return try PersonRecord(person, in: act.transaction)
    }
}
