import Foundation
import Ground
import Storage

/// Asks a signed-in person to show again who they are, before what somebody with a borrowed browser must not do.
/// Whoever has a second factor shows that; all others enter the password: see ``PasswordConfirmation``.
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

    /// Wrong codes count together with wrong passwords: ``PasswordConfirmation/attemptsMax`` an hour.
    /// - Parameter code: a one-time code or a recovery code, as typed.
    package func confirm(_ code: String, in session: BrowserSession) async throws -> Outcome {
        let now = surroundings.now()
        let checker = checker
        return try await database.write { transaction in
            guard let session = try BrowserSession.reload(session, at: now, in: transaction) else {
                return .sessionEnded
            }
            guard try session.takePasswordAttempt(at: now, in: transaction) else {
                return .mustWait(minutes: try session.minutesToWait(at: now, in: transaction) ?? 1)
            }
            guard let methods = try checker.take(code, of: session.person.id, at: now, in: transaction) else {
                return .wrongCode
            }
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

    /// Notes that the person has shown who they are, and forgets wrong passwords and codes.
    func confirm(by methods: SignInMethods, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE browser_session SET confirmed_at = $2, confirmed_by = $3, wrong_passwords = 0, wrong_since = NULL
            WHERE token_hash = $1
            """, [tokenHash, now, methods])
    }
}
