import Accounts
import Directory
import Foundation
import Storage

/// Issues a temporary password, which is shown once. The old one becomes invalid, the person is signed out everywhere,
/// and a locked account is unlocked. If there was a password, a mail tells the person that it was replaced.
package struct IssuePassword: Change {
    package static let name = "person.password"
    package static let summary = "Gives a person a temporary password. The answer is the only place where it is shown."
    package static let privilege = Privilege.issuePasswords
    package static let route = OperationRoute(.post, "people/{person}/password")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`."
    ]
    package static let undo = UndoRule.impossible("The former password is not kept in a form that could be put back.")

    package struct Answer: Codable, Sendable {
        package let name: String
        package let userName: String
        package let password: String
        package let validUntil: Date
    }

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> IssuedPerson {
        let person = try person.findToChange(in: context, transaction)
        return IssuedPerson(person: person, policy: try PasswordPolicy.effective(for: person, in: transaction))
    }

    package func prepare(for subject: IssuedPerson, in context: OperationContext) async throws -> NewPassword {
        try Self.check(subject.person)
        return try await NewPassword(by: subject.policy, context.services)
    }

    package func blankPreparation(for subject: IssuedPerson, in context: OperationContext) -> NewPassword { .blank }

    package func carryOut(on subject: IssuedPerson, _ new: NewPassword, in act: Act) throws -> Answer {
        let person = subject.person
        try Self.check(person)
        if try Credential.find(for: person.id, in: act.transaction) != nil {
            try act.context.services.passwordNotice?.tell(.passwordIssued, to: person, in: act.transaction)
        }
        let validUntil = act.now.addingTimeInterval(Credential.temporaryLifetime)
        try Credential.put(new.hash, temporaryUntil: validUntil, for: person.id, at: act.now, in: act.transaction)
        try act.record(.passwordIssued, on: person, called: person.fullName)
        return Answer(
            name: person.fullName, userName: person.userName, password: new.password, validUntil: validUntil)
    }

    private static func check(_ person: Person) throws {
        guard person.state != .deactivated else {
            throw OperationError.refused(
                "\(person.fullName) is deactivated and could not sign in.",
                remedy: .init(ReactivatePerson.name, person.userName))
        }
    }
}

/// A temporary password that was made and hashed, and is nobody's yet.
package struct NewPassword: Sendable {
    let password: String
    let hash: String

    /// What a preview uses in place of one.
    static let blank = NewPassword(password: "", hash: "preview")

    private init(password: String, hash: String) {
        self.password = password
        self.hash = hash
    }

    init(by policy: PasswordPolicy, _ services: AdministrationServices) async throws {
        password = policy.makeTemporaryPassword(from: services.surroundings)
        hash = try await services.hasher.hash(password)
    }
}

/// A person who will get a password, with the rules for that password.
package struct IssuedPerson: OperationSubject {
    let person: Person
    let policy: PasswordPolicy

    package var subjectOrganization: OrganizationID? { person.organizationID }
    package var auditName: String { person.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool { try person.isOpen(to: authority, for: privilege, in: transaction) }

    package func version(in transaction: some Transaction) throws -> String? { try person.version(in: transaction) }
}
