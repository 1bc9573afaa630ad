import Directory
import Foundation
import Ground
import Mail
import Storage

extension PersonalAccounts {
    package enum NameProblem: Hashable, Sendable {
        case givenName
        case familyName
    }

    package enum Renaming: Equatable, Sendable {
        case renamed
        case refused(Set<NameProblem>)
        /// The person is not signed in any more, or has a managed account.
        case notAllowed
    }

    package func rename(
        in session: BrowserSession, givenName: String, familyName: String, origin: Origin
    ) async throws -> Renaming {
        var problems: Set<NameProblem> = []
        func isFine(_ text: String, _ stored: String) -> Bool {
            (try? FieldRule.name.check(text, unlessStill: stored, field: "")) != nil
        }
        if !isFine(givenName, session.person.givenName) { problems.insert(.givenName) }
        if !isFine(familyName, session.person.familyName) { problems.insert(.familyName) }
        guard problems.isEmpty else { return .refused(problems) }
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let person = try owner(in: session, at: now, in: transaction) else { return .notAllowed }
            try person.rename(givenName: givenName, familyName: familyName, at: now, in: transaction)
            try note(.personChanged, on: person.id, detail: "name", from: origin, at: now, in: transaction)
            return .renamed
        }
    }

    /// The person who is signed in to a personal account, as stored in this transaction.
    func owner(
        in session: BrowserSession, at now: Date, in transaction: some Transaction
    ) throws -> Person? {
        let person = try BrowserSession.reload(session, at: now, in: transaction)?.person
        return person?.organizationID == nil ? person : nil
    }

    package enum EmailProblem: Hashable, Sendable {
        /// The address is missing, or not one that an account can have.
        case email
        case emailOfOrganization
        case unchanged
    }

    /// Sends a code to a new address. The account keeps the old address until the code is entered.
    ///
    /// The caller has checked the password.
    package func askToChangeEmail(
        in session: BrowserSession, to email: String, then target: String, _ visit: Visit
    ) async throws -> Asking<EmailProblem> {
        guard let address = mailAddress(email) else { return .refused([.email]) }
        guard address.folded != session.person.userName else { return .refused([.unchanged]) }
        if try await database.read({ try belongsToOrganization(address, in: $0) }) {
            return .refused([.emailOfOrganization])
        }
        let now = surroundings.now()
        guard try await database.read({ try owner(in: session, at: now, in: $0) }) != nil else { return .sessionEnded }
        let id = session.person.id
        return try await ask(.changeEmail, at: address, then: target, visit) { transaction in
            try !Person.isTaken(userName: address.folded, besidesBy: id, at: now, in: transaction)
                ? Recipient(person: id) { .changeCode($0) } : Recipient { _ in .addressTaken }
        }
    }

    /// The problem for which ``askToChangeEmail(in:to:then:_:)`` would refuse the address. It is checked before the
    /// password is asked for, and sends no mail.
    package func emailProblem(_ email: String, in session: BrowserSession) async throws -> EmailProblem? {
        guard let address = mailAddress(email) else { return .email }
        guard address.folded != session.person.userName else { return .unchanged }
        return try await database.read { try belongsToOrganization(address, in: $0) } ? .emailOfOrganization : nil
    }

    /// The person, if the account is a personal one that is signed in to in this browser.
    func owner(
        _ id: PersonID, _ visit: Visit, at now: Date, in transaction: some Transaction
    ) throws -> Person? {
        let session = try visit.sessionToken.flatMap { try BrowserSession.find(token: $0, at: now, in: transaction) }
        guard let person = session?.person, person.id == id, person.organizationID == nil else { return nil }
        return person
    }

    func changeEmail(
        of person: Person, to email: String, _ visit: Visit, at now: Date, in transaction: WriteTransaction
    ) throws {
        try person.changeEmail(to: email, at: now, in: transaction)
        try note(
            .personChanged, on: person.id, detail: "email address, verified", from: visit.origin, at: now,
            in: transaction)
        if let old = person.email.flatMap({ try? MailAddress($0) }) {
            try send(.emailChanged(to: email), to: old, visit.language, in: transaction)
        }
    }
}
