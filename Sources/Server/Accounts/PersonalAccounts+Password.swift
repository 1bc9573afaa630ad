import Directory
import Foundation
import Ground
import Mail
import Storage

extension PersonalAccounts {
    package enum AddressProblem: Hashable, Sendable {
        /// The address is missing, or not one that an account can have.
        case email
    }

    /// Sends a code with which a forgotten password can be replaced, if a personal account has the address. The owner
    /// of a managed account gets a mail that says whom to ask. For other addresses no mail is sent.
    package func forgotPassword(
        email: String, then target: String, _ visit: Visit
    ) async throws -> Asking<AddressProblem> {
        guard let address = mailAddress(email) else { return .refused([.email]) }
        return try await ask(.resetPassword, at: address, then: target, visit) {
            try resetRecipient(of: address, in: $0)
        }
    }

    func resetRecipient(of address: MailAddress, in transaction: some Transaction) throws -> Recipient {
        guard let person = try Person.find(userName: address.folded, in: transaction), person.state != .deactivated
        else { return Recipient(letter: nil) }
        guard let id = person.organizationID else { return Recipient(person: person.id) { .resetCode($0) } }
        // The user name may not be a mailbox, or one that belongs to somebody else.
        let name = try Organization.find(id, in: transaction)?.name ?? ""
        let own = person.email.flatMap { try? MailAddress($0) }
        return own.map { own in Recipient(address: own) { _ in .managedAccount(organization: name) } }
            ?? Recipient(letter: nil)
    }

    package enum Replacement: Sendable {
        case replaced(session: BrowserEntry, target: String)
        /// The password is replaced, and the person has to show a second factor, which the mailbox does not stand in for.
        case needsFactor(Secret, target: String)
        case refused(PasswordProblem)
        /// The code has expired, or the account has changed since it was sent.
        case expired
    }

    /// Sets a new password after the code was confirmed. All sessions of the person end; this browser gets a new one.
    package func replacePassword(
        by password: String, for challenge: EmailChallenge, _ visit: Visit
    ) async throws -> Replacement {
        let owner = try await database.read { transaction in
            try challenge.personID.flatMap { try Person.find($0, in: transaction) }
                .map { try PasswordOwner($0, in: transaction) }
        }
        guard let owner else { return .expired }
        if let problem = PasswordPolicy.standard.problem(with: password, of: owner) { return .refused(problem) }
        let hash = try await hasher.hash(password, for: visit.requester)
        let now = surroundings.now()
        return try await database.write { transaction in
            guard challenge.verifiedAt != nil, challenge.expiresAt > now, let id = challenge.personID,
                let person = try Person.find(id, in: transaction), person.organizationID == nil,
                person.state != .deactivated, try challenge.stillOpens(person, in: transaction),
                try challenge.take(in: transaction)
            else { return .expired }
            try Credential.put(hash, temporaryUntil: nil, for: id, at: now, in: transaction)
            try person.activate(in: transaction)
            // The code was sent to the user name, which may differ from the address of the account.
            if (try person.email.map { try MailAddress($0).folded }) == person.userName {
                try person.noteVerifiedEmail(at: now, in: transaction)
            }
            try note(
                .passwordChanged, on: id, detail: "forgotten; replaced with a code", from: visit.origin, at: now,
                in: transaction)
            if let address = person.email.flatMap({ try? MailAddress($0) }) {
                try send(.passwordReplaced, to: address, visit.language, in: transaction)
            }
            if try !Factors.find(of: id, in: transaction).isEmpty {
                return .needsFactor(
                    try PendingSignIn.insert(for: id, at: now, from: surroundings, in: transaction),
                    target: challenge.target)
            }
            return .replaced(
                session: try enter(id, visit, at: now, in: transaction), target: challenge.target)
        }
    }

    /// The user name for which a new password is chosen, for the browser's password store. Nil once no password can be
    /// chosen any more: whoever reads the former mailbox must not learn a new address.
    package func userName(for challenge: EmailChallenge) async throws -> String? {
        guard let id = challenge.personID else { return nil }
        return try await database.read { transaction in
            guard let person = try Person.find(id, in: transaction),
                try challenge.stillOpens(person, in: transaction)
            else { return nil }
            return person.userName
        }
    }
}

extension EmailChallenge {
    /// Whether the code still proves who owns the account. A reader of a former mailbox must not keep access: a new
    /// address and a new password both invalidate the codes that were sent before.
    fileprivate func stillOpens(_ person: Person, in transaction: some Transaction) throws -> Bool {
        guard try MailAddress(email).folded == person.userName else { return false }
        return try SignInVersion.current(of: person.id, in: transaction) == version
    }
}
