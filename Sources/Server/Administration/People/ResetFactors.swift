import Accounts
import Directory
import Storage

/// Takes all passkeys, one-time codes and recovery codes away from a person who has lost them. The password stays, all
/// that the person is signed in to ends, and a mail tells them. A mail alone never does this: whoever reads a mailbox
/// would need nothing else.
package struct ResetFactors: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.reset-factors"
    package static let summary = "Removes the passkeys, one-time codes and recovery codes that a person has lost."
    package static let privilege = Privilege.issuePasswords
    package static let route = OperationRoute(.post, "people/{person}/reset-factors")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`."
    ]
    package static let undo = UndoRule.impossible("The person sets up others.")
    package static let hasBulkForm = false

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.findToChange(in: context, transaction)
    }

    package func carryOut(on person: Person, _: Void, in act: Act) throws -> PersonRecord {
        let held = try Factors.find(of: person.id, in: act.transaction)
        guard !held.isEmpty else {
            throw OperationError.refused(
                "\(person.fullName) signs in with a password alone: there is no passkey and no one-time code to remove."
            )
        }
        try Factors.reset(person.id, in: act.transaction)
        try act.context.services.passwordNotice?.tell(.factorsReset, to: person, in: act.transaction)
        try act.record(
            .factorsReset, on: person, called: person.fullName,
            "\(held.passkeys) passkeys, one-time codes \(held.hasOneTimeCodes ? "yes" : "no")")
        return try PersonRecord(person, in: act.transaction)
    }
}
