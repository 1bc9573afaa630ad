import Foundation
import Ground
import Storage

/// Signs people in by what they have besides a password: after it, or by a passkey alone.
///
/// Wrong codes count as wrong passwords do: see ``CodeAttempt``.
package struct FactorSignIn: Sendable {
    package let checker: FactorChecker
    private var database: any Database { checker.database }
    private var surroundings: Surroundings { checker.surroundings }

    package init(checker: FactorChecker) { self.checker = checker }

    /// The browser that asks.
    package struct Visit: Sendable {
        let userAgent: String?
        /// The session that the browser had; it ends when a new one begins.
        let sessionToken: String?
        /// The secret of ``KnownBrowser`` that the browser had.
        let knownBrowser: String?
        let origin: Origin

        package init(userAgent: String?, sessionToken: String?, knownBrowser: String?, origin: Origin) {
            self.userAgent = userAgent
            self.sessionToken = sessionToken
            self.knownBrowser = knownBrowser
            self.origin = origin
        }
    }

    package enum Outcome: Sendable {
        /// - Parameter recoveryCodes: new ones, to be shown once; empty unless this was the first second factor.
        case signedIn(Person, session: BrowserEntry, recoveryCodes: [String] = [])
        case wrongCode
        case refused(PasskeyRefusal)
        /// There were too many wrong codes or passwords for this account. This one was not looked at.
        case mustWait(seconds: Int)
        /// The password has to be entered again.
        case over
        /// The passkey is right, but the organization has ended.
        case organizationClosed(name: String)
    }

    package func pending(_ token: String?) async throws -> PendingSignIn? {
        guard let token else { return nil }
        let now = surroundings.now()
        return try await database.read { try PendingSignIn.find(token, at: now, in: $0) }
    }

    // MARK: After the password

    /// - Parameter code: a one-time code or a recovery code, as typed.
    package func finish(_ token: String, code: String, _ visit: Visit) async throws -> Outcome {
        try await finish(token, visit) { pending, now, transaction in
            try checker.take(code, of: pending.person.id, at: now, in: transaction)
                .map { Judgement.right($0) } ?? .wrong
        }
    }

    package func finish(
        _ token: String, passkey assertion: PasskeyAssertion, holder: String, _ visit: Visit
    ) async throws -> Outcome {
        guard let pending = try await pending(token) else { return .over }
        let signed: FactorChecker.Signed
        do {
            signed = try await checker.verify(
                assertion, of: pending.person.id, requiresVerification: false, holder: holder)
        } catch let refusal as PasskeyRefusal {
            return .refused(refusal)
        }
        return try await finish(token, visit) { pending, now, transaction in
            try checker.take(signed, at: now, from: visit.origin, in: transaction)
                .map { Judgement.refused($0) } ?? .right(signed.methods)
        }
    }

    /// Sets up the first second factor of a person who must have one, and signs them in.
    /// - Parameter follow: called when it is set up, in the same transaction.
    package func finish(
        _ token: String, settingUp factor: FactorChanges.NewFactor, _ visit: Visit,
        then follow: @escaping FactorChanges.Following
    ) async throws -> Outcome {
        guard let pending = try await pending(token) else { return .over }
        let changes = FactorChanges(checker: checker)
        let prepared: FactorChanges.Prepared
        do {
            prepared = try changes.prepare(factor, for: pending.person.id)
        } catch let refusal as PasskeyRefusal {
            return .refused(refusal)
        }
        return try await finish(token, visit) { pending, now, transaction in
            // A person who has set a second factor up by now, perhaps in another window, has to show it.
            guard pending.mustSetUp, pending.methods.contains(.password) else { return .over }
            switch try changes.add(prepared, to: pending.person, at: now, from: visit.origin, in: transaction) {
            case .added(let recoveryCodes):
                try follow(pending.person, transaction)
                return .right(prepared.methods, recoveryCodes: recoveryCodes)
            case .wrongCode: return .wrong
            case .refused(let refusal): return .refused(refusal)
            case .sessionEnded, .tooMany: return .over
            }
        }
    }

    private enum Judgement {
        case right(SignInMethods, recoveryCodes: [String] = [])
        case wrong
        case refused(PasskeyRefusal)
        case over
    }

    private func finish(
        _ token: String, _ visit: Visit,
        _ judge: @escaping @Sendable (PendingSignIn, Date, WriteTransaction) throws -> Judgement
    ) async throws -> Outcome {
        let surroundings = surroundings
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let pending = try PendingSignIn.find(token, at: now, in: transaction),
                let attempt = try CodeAttempt.begin(
                    of: pending.person, in: visit.knownBrowser, at: now, from: visit.origin, in: transaction)
            else { return .over }
            let person = pending.person
            if let seconds = attempt.secondsToWait { return .mustWait(seconds: seconds) }
            switch try judge(pending, now, transaction) {
            case .over: return .over
            case .refused(let refusal): return .refused(refusal)
            case .wrong:
                try pending.countFailure(in: transaction)
                try attempt.countWrong(
                    pending.methods.contains(.password) ? "after the right password" : "after a ticket", in: transaction
                )
                return .wrongCode
            case .right(let methods, let recoveryCodes):
                guard try pending.take(in: transaction) else { return .over }
                try attempt.countRight(in: transaction)
                let entry = try Self.enter(
                    person, by: methods.union(pending.methods), isTemporary: attempt.isTemporary, visit, at: now,
                    from: surroundings, in: transaction)
                return .signedIn(person, session: entry, recoveryCodes: recoveryCodes)
            }
        }
    }

    // MARK: By a passkey alone

    /// Signs in whoever has the passkey, if its authenticator made sure of the person.
    /// - Parameter holder: what only this browser in its present session has.
    package func signIn(
        by assertion: PasskeyAssertion, holder: String, _ visit: Visit
    ) async throws -> Outcome {
        let signed: FactorChecker.Signed
        do {
            signed = try await checker.verify(assertion, of: nil, requiresVerification: true, holder: holder)
        } catch let refusal as PasskeyRefusal {
            return .refused(refusal)
        }
        let (checker, surroundings) = (checker, surroundings)
        let now = surroundings.now()
        return try await database.write { transaction in
            if let refusal = try checker.take(signed, at: now, from: visit.origin, in: transaction) {
                return .refused(refusal)
            }
            guard let person = try Person.find(signed.passkey.personID, in: transaction), person.state.maySignIn else {
                return .refused(.unknownCredential)
            }
            if let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) }),
                organization.closing != nil
            {
                return .organizationClosed(name: organization.name)
            }
            try person.activate(in: transaction)
            let isTemporary = try Credential.find(for: person.id, in: transaction)?.temporaryUntil != nil
            let entry = try Self.enter(
                person, by: signed.methods, isTemporary: isTemporary, visit, at: now, from: surroundings,
                in: transaction)
            return .signedIn(person, session: entry)
        }
    }

    private static func enter(
        _ person: Person, by methods: SignInMethods, isTemporary: Bool, _ visit: Visit, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> BrowserEntry {
        try AuditEntry(
            .signIn, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
            detail: methods.auditDetail, from: visit.origin
        ).append(to: person.organizationID, at: now, in: transaction)
        return try BrowserEntry.begin(
            for: person.id, by: methods, isTemporary: isTemporary, userAgent: visit.userAgent,
            replacing: visit.sessionToken, browser: visit.knownBrowser, at: now, from: surroundings, in: transaction)
    }
}

extension SignInMethods {
    /// What the audit trail says of the second factor, or of the passkey that stood alone.
    fileprivate var auditDetail: String {
        let first = contains(.kerberos) ? "by Kerberos " : ""
        if contains(.passkey) {
            return isDisjoint(with: [.password, .kerberos]) ? "by a passkey" : first + "and a passkey"
        }
        return first + (contains(.recoveryCode) ? "and a recovery code" : "and a one-time code")
    }
}
