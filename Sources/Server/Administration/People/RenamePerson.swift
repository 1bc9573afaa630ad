import Directory
import Foundation
import Storage

/// Gives a person another user name. For a time nobody else gets the former one, whoever signs in with it is told the
/// new one after the right password, and operations find the person by it. Sessions, password, and the ids that apps
/// know stay as they are.
package struct RenamePerson: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.rename"
    package static let summary = "Gives a person another user name. The former one is kept for them for a time."
    package static let privilege = Privilege.managePeople
    package static let route = OperationRoute(.post, "people/{person}/rename")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`.",
        "userName": "The new user name.",
        "keepDays": "For how many days nobody else gets the former one; 90 if it is left out, 3 650 at most.",
    ]
    package static let undo = UndoRule.possible

    package static let keepDaysDefault = 90
    private static let keepDaysMax = 3_650

    package let person: PersonReference
    package let userName: String
    /// For how many days nobody else gets the former one.
    package let keepDays: Int?

    package init(person: PersonReference, userName: String, keepDays: Int? = nil) {
        self.person = person
        self.userName = userName
        self.keepDays = keepDays
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.findToChange(in: context, transaction)
    }

    package func carryOut(on person: Person, _: Void, in act: Act) throws -> PersonRecord {
        let days = keepDays ?? Self.keepDaysDefault
        guard (0...Self.keepDaysMax).contains(days) else {
            throw OperationError.invalid(field: "number of days", reason: "is not between 0 and \(Self.keepDaysMax)")
        }
        guard person.organizationID != nil else {
            throw OperationError.refused(
                """
                \(person.fullName) has a personal account. Only its owner changes the user name, which is the email \
                address, by a code that is sent there.
                """)
        }
        // The new name may be a former one of the person, which was kept for them.
        let kept = try FormerUserName.find(userName, at: act.now, in: act.transaction)
        try person.rename(
            userName: userName, keepingFormerUntil: days == 0 ? nil : act.now.addingTimeInterval(Double(days) * 86_400),
            at: act.now, in: act.transaction)
        let record = try PersonRecord(person, in: act.transaction)
        guard record.userName != person.userName else {
            throw OperationError.refused("\(person.fullName) has the user name \(record.userName) already.")
        }
        try act.record(.personChanged, on: person, called: person.fullName, "user name changed")
        // Undoing leaves things as they were: the new name is free at once, or, if it had been kept for the person
        // before, is kept for the days that are left.
        let daysBefore = kept.map { Int(($0.keptUntil.timeIntervalSince(act.now) / 86_400).rounded(.up)) } ?? 0
        act.undo(
            by: RenamePerson(
                person: PersonReference(person.id), userName: person.userName, keepDays: daysBefore))
        return record
    }
}
