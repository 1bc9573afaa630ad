import Foundation
import Ground
import Storage

/// Asks a signed-in person to show again who they are, before what somebody with a borrowed browser must not do.
/// People with a second factor show that factor. Everybody else enters the password: see ``PasswordConfirmation``.
package struct FactorConfirmation: Sendable {
    package let checker: FactorChecker
    private var database: any Database { checker.database }
    private var surroundings: Surroundings { checker.surroundings }

    package init(checker: FactorChecker) { self.checker = checker }

    package enum Outcome: Equatable, Sendable {
        case confirmed
        case wrongCode
        case refused(PasskeyRefusal)
        /// Too many wrong codes and passwords; this one was not looked at. `minutes` is 1 or more.
        case mustWait(minutes: Int)
        case sessionEnded
    }

    /// Wrong codes count together with the session's wrong passwords, of which there may be
    /// ``PasswordConfirmation/attemptsMax`` an hour, and for the account as well, since a device begins a session
    /// whenever it likes: see ``CodeAttempt``.
    /// - Parameters:
    ///   - code: a one-time code or a recovery code, as typed.
    ///   - knownBrowser: the secret of ``KnownBrowser`` that the browser has.
    package func confirm(
        _ code: String, in session: BrowserSession, knownBrowser: String?, origin: Origin
    ) async throws -> Outcome {
        let now = surroundings.now()
        let checker = checker
        return try await database.write { transaction in
            guard let session = try BrowserSession.reload(session, at: now, in: transaction) else {
                return .sessionEnded
            }
            guard try session.takePasswordAttempt(at: now, in: transaction) else {
                return .mustWait(minutes: try session.minutesToWait(at: now, in: transaction) ?? 1)
            }
            let attempt = try CodeAttempt.begin(
                of: session.person, in: knownBrowser, at: now, from: origin, in: transaction)
            if let seconds = attempt?.secondsToWait {
                try session.giveBackPasswordAttempt(in: transaction)
                return .mustWait(minutes: (seconds + 59) / 60)
            }
            guard let methods = try checker.take(code, of: session.person.id, at: now, in: transaction) else {
                try attempt?.countWrong("in a session", in: transaction)
                return .wrongCode
            }
            try attempt?.countRight(in: transaction)
            try session.confirm(by: methods, at: now, in: transaction)
            return .confirmed
        }
    }

    /// - Parameter holder: what only this browser in its present session has.
    package func confirm(
        by assertion: PasskeyAssertion, holder: String, in session: BrowserSession, origin: Origin
    ) async throws -> Outcome {
        let signed: FactorChecker.Signed
        do {
            signed = try await checker.verify(
                assertion, of: session.person.id, requiresVerification: false, holder: holder)
        } catch let refusal as PasskeyRefusal {
            return .refused(refusal)
        }
        let (checker, now) = (checker, surroundings.now())
        return try await database.write { transaction in
            guard let session = try BrowserSession.reload(session, at: now, in: transaction) else {
                return .sessionEnded
            }
            if let refusal = try checker.take(signed, at: now, from: origin, in: transaction) {
                return .refused(refusal)
            }
            try session.confirm(by: signed.methods, at: now, in: transaction)
            return .confirmed
        }
    }
}

extension BrowserSession {
    /// For how many seconds what a person has shown counts as fresh.
    package static let freshness: TimeInterval = 900

    /// Whether the person has shown a moment ago who they are: with a second factor if they have one.
    /// - Parameter seconds: how long that may be ago.
    package func isFresh(
        within seconds: TimeInterval = freshness, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        guard let confirmedAt, confirmedAt <= now, confirmedAt > now.addingTimeInterval(-seconds) else { return false }
        if !confirmedBy.isDisjoint(with: .secondFactors) { return true }
        return try Factors.find(of: person.id, in: transaction).isEmpty
    }

    /// Notes that the person has shown who they are, and forgets wrong passwords and codes. Where there is a second
    /// factor the password alone lets nothing be forgotten, as it would give whoever knows it new guesses at a code.
    func confirm(by methods: SignInMethods, at now: Date, in transaction: WriteTransaction) throws {
        let isEnough =
            try !methods.isDisjoint(with: .secondFactors)
            || Factors.find(of: person.id, in: transaction).isEmpty
        try transaction.execute(
            "UPDATE browser_session SET confirmed_at = $2, confirmed_by = $3 WHERE token_hash = $1",
            [tokenHash, now, methods])
        if isEnough {
            try transaction.execute(
                "UPDATE browser_session SET wrong_passwords = 0, wrong_since = NULL WHERE token_hash = $1",
                [tokenHash])
        } else {
            try giveBackPasswordAttempt(in: transaction)
        }
    }
}
