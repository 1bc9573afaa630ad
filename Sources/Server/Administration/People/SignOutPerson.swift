import Authorization
import Directory
import Storage

/// Signs a person out everywhere: of browsers, apps, and devices that wait to be signed in. The password stays.
package struct SignOutPerson: Change {
    package static let name = "person.sign-out"
    package static let summary = "Signs a person out of everything. The password stays as it is."
    package static let privilege = Privilege.issuePasswords
    package static let route = OperationRoute(.post, "people/{person}/sign-out")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`.",
        "devices": "Whether the person's registered devices are removed too.",
    ]
    package static let undo = UndoRule.impossible("The person signs in again.")

    package struct Answer: Codable, Sendable {
        package let person: PersonRecord
        package let sessions: Int
        /// The number of apps that are notified, and in which the person has to sign in again.
        package let apps: Int
        /// The number of devices that were removed.
        package let devices: Int
    }

    package let person: PersonReference
    /// Whether the person's registered devices are removed too.
    package let devices: Bool?

    package init(person: PersonReference, devices: Bool? = nil) {
        self.person = person
        self.devices = devices
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.findToChange(in: context, transaction)
    }

    package func carryOut(on person: Person, _: Void, in act: Act) throws -> Answer {
        let (devices, transaction) = (devices ?? false, act.transaction)
        let sessions = try BrowserSession.count(of: person.id, at: act.now, in: transaction)
        let removed = devices ? try RegisteredDevice.count(of: person.id, in: transaction) : 0
        try Person.endSignIns(of: "$1", [person.id], devices: devices, in: transaction)
        let apps = try EndedSignIns.close(
            .signedOut, of: person.id, by: act.actor, from: act.origin, at: act.now, surroundings: act.surroundings,
            in: transaction)
        try act.record(
            .signOut, on: person, called: person.fullName, "of everything" + (devices ? ", devices removed" : ""))
        return Answer(
            person: try PersonRecord(person, in: transaction), sessions: sessions, apps: apps, devices: removed)
    }
}
