import Foundation
import Ground
import Storage

/// What is known before a password is checked.
struct SignInAttempt: Sendable {
    struct Account: Sendable {
        let personID: PersonID
        let organizationID: OrganizationID?
        let passwordHash: String
    }

    let userName: String
    /// Nil if the name is unknown or its account has no password.
    let account: Account?
    /// The browser, if the account knows it; otherwise nil.
    let browser: SecretHash?
    /// Whether the account had the name before, and has another now. Wrong passwords are counted as for a name that
    /// nobody has: if they counted for the account, whoever guesses at both names would learn that they are one.
    let isFormerName: Bool
    private let pausedUntil: Date?

    var isKnown: Bool { browser != nil }

    static func find(
        userName: String, browser: String?, at now: Date, in transaction: some Transaction
    ) throws -> SignInAttempt {
        let current = try Person.find(userName: userName, in: transaction)
        let former = current == nil ? try FormerUserName.find(userName, at: now, in: transaction) : nil
        guard let person = try current ?? former.flatMap({ try Person.find($0.personID, in: transaction) }),
            let credential = try Credential.find(for: person.id, in: transaction)
        else {
            return SignInAttempt(
                userName: userName, account: nil, browser: nil, isFormerName: false,
                pausedUntil: try UnknownName.pausedUntil(userName, in: transaction))
        }
        let account = Account(
            personID: person.id, organizationID: person.organizationID, passwordHash: credential.passwordHash)
        guard former == nil else {
            return SignInAttempt(
                userName: userName, account: account, browser: nil, isFormerName: true,
                pausedUntil: try UnknownName.pausedUntil(userName, in: transaction))
        }
        let isKnown = try KnownBrowser.isKnown(browser, to: person.id, at: now, in: transaction)
        return SignInAttempt(
            userName: userName, account: account, browser: isKnown ? browser.map(SecretHash.init(of:)) : nil,
            isFormerName: false, pausedUntil: credential.pausedUntil)
    }

    /// The refusal if the browser has to wait; otherwise nil.
    func wait(at now: Date) -> PasswordSignIn.Outcome? {
        guard !isKnown, let end = AttemptPause.running(until: pausedUntil, at: now) else { return nil }
        return .mustWait(until: end, at: now)
    }

    /// The person who had the name before, if the right password may tell the new one.
    func person(admittedAt now: Date, in transaction: some Transaction) throws -> Person? {
        guard let account, let person = try Person.find(account.personID, in: transaction), person.state.maySignIn,
            try Credential.isAdmitted(person.id, with: account.passwordHash, in: transaction),
            // Others have failed while this one was hashed. It counts as failed too, right or wrong.
            AttemptPause.running(until: try UnknownName.pausedUntil(userName, in: transaction), at: now) == nil
        else { return nil }
        return person
    }

    /// Counts and records a refused sign-in to an unknown name, as ``AccountRefusal`` does for accounts.
    func refuseUnknown(
        at now: Date, from origin: Origin, in transaction: WriteTransaction
    ) throws -> PasswordSignIn.Outcome {
        let until = try UnknownName.pausedUntil(userName, in: transaction)
        let counted = try UnknownName.recordFailure(of: userName, at: now, in: transaction)
        let attempts = try UnknownSignIn.record(at: now, from: origin, in: transaction)
        if attempts % 64 == 0 { try UnknownName.trim(at: now, in: transaction) }
        guard let until = AttemptPause.running(until: until, at: now) else { return .refused }
        return .mustWait(until: counted.pausedUntil ?? until, at: now)
    }
}

extension PasswordSignIn.Outcome {
    static func mustWait(until: Date, at now: Date) -> Self {
        .mustWait(seconds: max(1, Int(until.timeIntervalSince(now).rounded(.up))))
    }
}

/// Counts and records a refused sign-in to an account.
struct AccountRefusal {
    let account: SignInAttempt.Account
    let now: Date
    let origin: Origin

    /// Counts a wrong password and records it in the audit trail. Guesses at an account that nobody can sign in to are
    /// not recorded, because they would fill the trail.
    @discardableResult
    func count(
        _ reason: String, of person: Person, in transaction: WriteTransaction
    ) throws -> CountedFailure {
        let counted = try Credential.recordFailure(of: account.personID, at: now, in: transaction)
        guard person.state.maySignIn, AttemptPause.isTold(counted.failures) else { return counted }
        guard let until = counted.pausedUntil else {
            try note(.signIn, reason, in: transaction)
            return counted
        }
        let action: AuditEntry.Action =
            if counted.isLock { .accountLocked } else if counted.failures == 5 { .accountPaused } else { .signIn }
        try note(
            action, "\(reason); browsers that the account does not know wait until \(until.formatted(.iso8601))",
            in: transaction)
        return counted
    }

    func note(_ action: AuditEntry.Action, _ detail: String, in transaction: WriteTransaction) throws {
        try AuditEntry(
            action, by: .person(account.personID), on: "person:\(account.personID.rawValue)", outcome: .refused,
            detail: detail, from: origin
        ).append(to: account.organizationID, at: now, in: transaction)
    }
}
