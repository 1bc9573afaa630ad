import Foundation
import Ground
import Storage

/// Signs people in by user name and password, and lets them change it.
///
/// Every refusal looks the same and takes the same time, whether the account is unknown, locked or deactivated, or the
/// password is wrong: each costs one hash and one commit. Only a request that has to wait is refused before that. Only
/// somebody who knows the password learns more.
///
/// Wrong passwords lead to waiting times in two ways, both only for browsers in which nobody has signed in to the
/// account before: by account (``AttemptPause``) and by address (``FailureBudget``). A browser that the account knows
/// has a few attempts of its own (``KnownBrowser``).
package struct PasswordSignIn: Sendable {
    let database: any Database
    let hasher: PasswordHasher
    private let budget: FailureBudget
    let surroundings: Surroundings

    /// - Parameter budget: the server's only one; nil makes a new one.
    package init(
        database: any Database, hasher: PasswordHasher, budget: FailureBudget? = nil, surroundings: Surroundings
    ) {
        self.database = database
        self.hasher = hasher
        self.budget = budget ?? FailureBudget(now: surroundings.now)
        self.surroundings = surroundings
    }

    package enum Outcome: Sendable {
        case signedIn(Person, session: BrowserEntry)
        /// The password is a temporary one: the person must choose another before anything else.
        case mustChangePassword(Person, session: BrowserEntry)
        /// The password was right, and the person has to show a second factor, or to set one up: see
        /// ``PendingSignIn``.
        case needsFactor(Secret)
        /// The password was right, but it was a temporary one that has expired.
        case temporaryPasswordExpired
        /// The password was right, but the user name is one from before. Only the password tells the new one, so that
        /// strangers do not learn who had a name.
        case renamed(userName: String)
        /// The password was right, but the organization has ended.
        case organizationClosed(name: String)
        case refused
        /// There were too many wrong passwords for this account or from this address. This one was not checked.
        case mustWait(seconds: Int)
    }

    /// The session begins in the same transaction as the check, so that a password change a moment later ends it.
    /// - Parameters:
    ///   - token: the token of the session that the browser had; that session ends.
    ///   - browser: the browser's secret of ``KnownBrowser``.
    /// - Throws: ``PasswordHasher/Overloaded`` when too many wait already.
    package func signIn(
        userName: String, password: String, userAgent: String? = nil, replacing token: String? = nil,
        knownBrowser browser: String? = nil, origin: Origin
    ) async throws -> Outcome {
        let now = surroundings.now()
        let attempt = try await database.read {
            try SignInAttempt.find(userName: userName, browser: browser, at: now, in: $0)
        }
        if let wait = attempt.wait(at: now) { return wait }
        guard let address = attempt.isKnown ? nil : origin.addressBlock else {
            let requester = attempt.browser.map(HashRequester.browser)
            let isRight = try await isRight(password, attempt, for: requester, origin)
            let decision = try await decide(
                attempt, isRight: isRight, userAgent: userAgent, replacing: token, browser: browser, origin: origin)
            await strengthen(password, of: attempt, after: decision, for: requester ?? HashRequester(origin))
            return decision.outcome
        }
        do {
            try budget.take(address)
        } catch let exhausted as FailureBudget.Exhausted {
            if exhausted.isNews { try await tell(exhausted, at: now, from: origin) }
            return .mustWait(seconds: exhausted.seconds(from: now))
        }
        do {
            let isRight = try await isRight(password, attempt, for: .address(address), origin)
            let decision = try await decide(
                attempt, isRight: isRight, userAgent: userAgent, replacing: token, browser: browser, origin: origin)
            budget.giveBack(decision.givenBack, to: address)
            await strengthen(password, of: attempt, after: decision, for: .address(address))
            return decision.outcome
        } catch {
            budget.giveBack(1, to: address)
            throw error
        }
    }

    private func isRight(
        _ password: String, _ attempt: SignInAttempt, for requester: HashRequester?, _ origin: Origin
    ) async throws -> Bool {
        try await hasher.verify(
            password, against: attempt.account?.passwordHash, for: requester ?? HashRequester(origin))
    }

    private func tell(_ exhausted: FailureBudget.Exhausted, at now: Date, from origin: Origin) async throws {
        try await database.write { transaction in
            try AuditEntry(
                .addressPaused, by: .system, on: "address", outcome: .refused,
                detail: "too many wrong passwords from one address; others of the next hour are not told", from: origin
            ).append(to: nil, at: now, in: transaction)
        }
    }

    private struct Decision {
        let outcome: Outcome
        /// Number of attempts that were not guesses, to be given back to the budget.
        var givenBack = 0

        var isAdmitted: Bool {
            switch outcome {
            case .signedIn, .mustChangePassword, .needsFactor: true
            case .temporaryPasswordExpired, .renamed, .organizationClosed, .refused, .mustWait: false
            }
        }
    }

    private func decide(
        _ attempt: SignInAttempt, isRight: Bool, userAgent: String?, replacing token: String?, browser: String?,
        origin: Origin
    ) async throws -> Decision {
        let surroundings = surroundings
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let account = attempt.account else {
                return Decision(outcome: try attempt.refuseUnknown(at: now, from: origin, in: transaction))
            }
            let refusal = AccountRefusal(account: account, now: now, origin: origin)
            if attempt.isFormerName {
                guard isRight, let person = try attempt.person(admittedAt: now, in: transaction) else {
                    return Decision(outcome: try attempt.refuseUnknown(at: now, from: origin, in: transaction))
                }
                try refusal.note(.signIn, "with a former user name and the right password", in: transaction)
                return Decision(outcome: .renamed(userName: person.userName), givenBack: 1)
            }
            if let browser, attempt.isKnown, !isRight,
                try KnownBrowser.recordFailure(in: browser, of: account.personID, in: transaction)
            {
                try refusal.note(.signIn, "wrong password, in a browser that the account knows", in: transaction)
                return Decision(outcome: .refused)
            }
            guard let person = try Person.find(account.personID, in: transaction),
                let credential = try Credential.find(for: account.personID, in: transaction)
            else { return Decision(outcome: .refused) }
            let isKnown = try KnownBrowser.isKnown(browser, to: person.id, at: now, in: transaction)
            // Enough other attempts have failed while this one was hashed. It counts as failed, right or wrong:
            // otherwise somebody who sends a hundred guesses at once would learn the result of them all.
            if !isKnown, let until = AttemptPause.running(until: credential.pausedUntil, at: now) {
                let counted = try refusal.count("while others failed", of: person, in: transaction)
                return Decision(outcome: .mustWait(until: counted.pausedUntil ?? until, at: now))
            }
            guard isRight, person.state.maySignIn else {
                try refusal.count("wrong password", of: person, in: transaction)
                return Decision(outcome: .refused)
            }
            guard try Credential.isAdmitted(person.id, with: account.passwordHash, in: transaction) else {
                try refusal.note(.signIn, "the password was just replaced", in: transaction)
                return Decision(outcome: .refused, givenBack: 1)
            }
            if let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) }),
                organization.closing != nil
            {
                try refusal.note(.signIn, "the organization is closed", in: transaction)
                return Decision(outcome: .organizationClosed(name: organization.name), givenBack: 1)
            }
            if let until = credential.temporaryUntil, until <= now {
                try refusal.count("the temporary password has expired", of: person, in: transaction)
                return Decision(outcome: .temporaryPasswordExpired, givenBack: 1)
            }
            // Wrong passwords stay counted until the second factor was right too, since wrong codes count with them.
            if try Self.needsFactor(person, at: now, in: transaction) {
                let pending = try PendingSignIn.insert(
                    for: person.id, at: now, from: surroundings, in: transaction)
                return Decision(outcome: .needsFactor(pending), givenBack: isKnown ? 0 : 1)
            }
            if !isKnown { try Credential.recordSuccess(of: person.id, in: transaction) }
            try AuditEntry(
                .signIn, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done, from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
            let entry = try BrowserEntry.begin(
                for: person.id, isTemporary: credential.temporaryUntil != nil, userAgent: userAgent, replacing: token,
                browser: browser, at: now, from: surroundings, in: transaction)
            return Decision(
                outcome: credential.temporaryUntil == nil
                    ? .signedIn(person, session: entry) : .mustChangePassword(person, session: entry),
                givenBack: isKnown ? 0 : 1 + min(credential.failures, AttemptPause.forgivenMax))
        }
    }

    /// Whether a password alone does not sign the person in.
    static func needsFactor(
        _ person: Person, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        if try !Factors.find(of: person.id, in: transaction).isEmpty { return true }
        return try FactorRule.isDue(for: person, at: now, in: transaction)
    }

    /// Hashes the password of a person who has just signed in again, if the stored hash was made with lower cost. The
    /// password is the same, so nothing ends. If this fails, or too many hashes wait, it is done at another sign-in.
    private func strengthen(
        _ password: String, of attempt: SignInAttempt, after decision: Decision, for requester: HashRequester
    ) async {
        guard decision.isAdmitted, let account = attempt.account, hasher.isWeak(account.passwordHash),
            let hash = try? await hasher.hash(password, for: requester)
        else { return }
        try? await database.write {
            try Credential.strengthen(account.passwordHash, to: hash, of: account.personID, in: $0)
        }
    }

    package enum ChangeOutcome: Sendable {
        case changed(session: BrowserEntry)
        case refused(PasswordProblem)
        /// The new password is the old one, which others know if it was temporary.
        case unchanged
        /// The session has ended meanwhile, for example by another change of the password.
        case sessionEnded
    }

    /// Further work in the transaction that replaces a password.
    package typealias Following = @Sendable (_ person: Person, _ transaction: WriteTransaction) throws -> Void

    /// Replaces the password by one that the person chose. All their browser sessions end; this browser gets a new one,
    /// and is the only browser that the account knows afterwards.
    package func change(
        in session: BrowserSession, to password: String, userAgent: String? = nil, knownBrowser browser: String? = nil,
        origin: Origin, then follow: @escaping Following = { _, _ in }
    ) async throws -> ChangeOutcome {
        let person = session.person
        let (problem, current) = try await database.read { transaction in
            let policy = try PasswordPolicy.effective(for: person, in: transaction)
            return (
                policy.problem(with: password, of: try PasswordOwner(person, in: transaction)),
                try Credential.find(for: person.id, in: transaction)
            )
        }
        if let problem { return .refused(problem) }
        let requester = HashRequester(origin)
        if try await hasher.verify(password, against: current?.passwordHash, for: requester) { return .unchanged }
        let hash = try await hasher.hash(password, for: requester)
        let surroundings = surroundings
        let now = surroundings.now()
        return try await database.write { transaction in
            // If the password was replaced while this one waited to be hashed, the session has ended.
            guard try BrowserSession.find(session.tokenHash, at: now, in: transaction) != nil else {
                return .sessionEnded
            }
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            try AuditEntry(
                .passwordChanged, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
                from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
            try follow(person, transaction)
            let entry = try BrowserEntry.begin(
                for: person.id, by: session.beganUnattended ? .password : session.methods, userAgent: userAgent,
                replacing: nil, browser: browser, at: now, from: surroundings, in: transaction)
            // Nothing but a password was shown just now, whatever the session began with.
            try BrowserSession.find(entry.session.hash, at: now, in: transaction)?
                .confirm(by: .password, at: now, in: transaction)
            return .changed(session: entry)
        }
    }
}
