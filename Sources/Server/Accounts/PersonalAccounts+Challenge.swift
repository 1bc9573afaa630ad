import Directory
import Foundation
import Ground
import Mail
import Storage

extension PersonalAccounts {
    /// The person and the mail of a challenge, as found in the transaction.
    struct Recipient {
        var person: PersonID?
        var applicant: EmailChallenge.Applicant?
        /// The recipient of the mail, if it is not the address that was typed.
        var address: MailAddress?
        /// Makes the mail from the code. Nil if no mail is sent.
        let letter: ((_ code: String) -> AccountLetter)?

        init(
            person: PersonID? = nil, applicant: EmailChallenge.Applicant? = nil, address: MailAddress? = nil,
            letter: ((_ code: String) -> AccountLetter)?
        ) {
            self.person = person
            self.applicant = applicant
            self.address = address
            self.letter = letter
        }

        /// No recipient if the address belongs to another person by now.
        func only(for other: PersonID?) -> Recipient { person == other ? self : Recipient(letter: nil) }
    }

    /// Begins a challenge and queues its mail, in one transaction.
    /// - Parameter recipient: finds the recipient of the code, in the same transaction.
    func ask<Problem>(
        _ purpose: EmailChallenge.Purpose, at address: MailAddress, then target: String, _ visit: Visit,
        for recipient: @escaping @Sendable (WriteTransaction) throws -> Recipient
    ) async throws -> Asking<Problem> {
        let code = EmailChallenge.makeCode(from: surroundings)
        let codeHash = try await hasher.hash(code, for: visit.requester)
        let now = surroundings.now()
        return try await database.write { transaction in
            let wait = try CodeAllowance.take(
                email: address.folded, browser: visit.knownBrowser, address: visit.origin.addressBlock, at: now,
                in: transaction)
            if let wait { return .mustWait(minutes: Self.minutes(from: now, until: wait)) }
            let recipient = try recipient(transaction)
            try send(code, to: recipient, at: address, visit, at: now, in: transaction)
            let token = try EmailChallenge.insert(
                purpose, email: address.text, person: recipient.person, applicant: recipient.applicant,
                codeHash: codeHash, target: target, browser: visit.browser, at: now, from: surroundings,
                in: transaction)
            return .asked(token: token)
        }
    }

    private func send(
        _ code: String, to recipient: Recipient, at address: MailAddress, _ visit: Visit, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        if let letter = recipient.letter {
            try send(
                letter(code), to: recipient.address ?? address, visit.language,
                expiresAt: now.addingTimeInterval(EmailChallenge.lifetime), in: transaction)
        }
        guard let person = recipient.person else { return }
        try note(.emailCodeSent, on: person, from: visit.origin, at: now, in: transaction)
    }

    /// The challenge behind a page; nil if there is none, or it belongs to another browser.
    package func challenge(_ token: String, _ visit: Visit) async throws -> EmailChallenge? {
        let now = surroundings.now()
        return try await database.read {
            try EmailChallenge.find(token: token, browser: visit.browser, at: now, in: $0)
        }
    }

    package enum Renewal: Sendable {
        case sent
        case mustWait(minutes: Int)
        /// The challenge has been completed in the meantime.
        case done
    }

    /// Sends a new code for a challenge; earlier codes become invalid.
    package func renew(_ challenge: EmailChallenge, _ visit: Visit) async throws -> Renewal {
        let code = EmailChallenge.makeCode(from: surroundings)
        let codeHash = try await hasher.hash(code, for: visit.requester)
        let now = surroundings.now()
        let address = try MailAddress(challenge.email)
        return try await database.write { transaction in
            let wait = try CodeAllowance.take(
                email: address.folded, browser: visit.knownBrowser, address: visit.origin.addressBlock, at: now,
                in: transaction)
            if let wait { return .mustWait(minutes: Self.minutes(from: now, until: wait)) }
            guard try challenge.renew(codeHash: codeHash, at: now, in: transaction) else { return .done }
            let recipient =
                switch challenge.purpose {
                case .signUp:
                    Recipient { challenge.applicant == nil ? .accountExists : .signUpCode($0) }
                case .resetPassword:
                    try resetRecipient(of: address, in: transaction).only(for: challenge.personID)
                case .changeEmail:
                    Recipient(person: challenge.personID) {
                        challenge.personID == nil ? .addressTaken : .changeCode($0)
                    }
                }
            try send(code, to: recipient, at: address, visit, at: now, in: transaction)
            return .sent
        }
    }

    package enum Entry: Sendable {
        /// The account exists, and the person is signed in.
        case signedUp(session: BrowserEntry, target: String)
        /// A new password can be chosen.
        case mayChoosePassword
        case emailChanged
        /// The code was right, but the person is not signed in any more. They can sign in and enter it again.
        case sessionEnded
        case wrong(attemptsLeft: Int)
        /// The code has expired or was used, or too many codes were entered.
        case expired
    }

    /// - Parameter code: as typed; spaces and hyphens are ignored.
    /// - Throws: ``PasswordHasher/Overloaded`` if too many passwords and codes wait to be hashed.
    package func enter(_ code: String, for challenge: EmailChallenge, _ visit: Visit) async throws -> Entry {
        let now = surroundings.now()
        let code = code.filter { !$0.isWhitespace && $0 != "-" }
        guard let taken = try await database.write({ try challenge.takeAttempt(at: now, in: $0) }) else {
            return .expired
        }
        let isRight: Bool
        do {
            isRight = try await hasher.verify(code, against: taken.codeHash, for: visit.requester)
        } catch {
            try await database.write { try taken.giveBackAttempt(in: $0) }
            throw error
        }
        guard isRight else {
            let left = EmailChallenge.attemptsMax - taken.attempts
            if left > 0 { return .wrong(attemptsLeft: left) }
            try await noteExhausted(taken, visit)
            return .expired
        }
        do {
            return try await complete(taken, visit)
        } catch DirectoryError.userNameTaken, DirectoryError.domainTaken {
            // Another account has taken the address in the meantime. The mail for a new code says so.
            return .expired
        }
    }

    private func complete(_ challenge: EmailChallenge, _ visit: Visit) async throws -> Entry {
        let now = surroundings.now()
        return try await database.write { transaction in
            switch challenge.purpose {
            case .signUp:
                guard let applicant = challenge.applicant, try challenge.take(in: transaction) else { return .expired }
                return .signedUp(
                    session: try makeAccount(challenge, applicant, visit, at: now, in: transaction),
                    target: challenge.target)
            case .resetPassword:
                guard challenge.personID != nil else { return .expired }
                return try challenge.verify(at: now, in: transaction) ? .mayChoosePassword : .expired
            case .changeEmail:
                guard let personID = challenge.personID else { return .expired }
                // The code was entered in the browser that asked for it; but the person may have signed out since.
                guard let person = try owner(personID, visit, at: now, in: transaction) else { return .sessionEnded }
                // The code may have been requested with a password that has been changed since.
                guard try SignInVersion.current(of: personID, in: transaction) == challenge.version,
                    try challenge.take(in: transaction)
                else { return .expired }
                try changeEmail(of: person, to: challenge.email, visit, at: now, in: transaction)
                return .emailChanged
            }
        }
    }

    private func noteExhausted(_ challenge: EmailChallenge, _ visit: Visit) async throws {
        guard let person = challenge.personID else { return }
        let now = surroundings.now()
        try await database.write { transaction in
            try AuditEntry(
                .emailCodeRefused, by: .system, on: "person:\(person.rawValue)", outcome: .refused,
                detail: "\(EmailChallenge.attemptsMax) wrong codes", from: visit.origin
            ).append(to: nil, at: now, in: transaction)
        }
    }
}
