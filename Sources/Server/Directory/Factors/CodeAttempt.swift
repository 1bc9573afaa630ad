import Foundation
import Ground
import Storage

/// A browser that sends a one-time code or a recovery code for an account.
///
/// Wrong codes count as wrong passwords do, for the account and for the browser: who knows the password, or has a
/// session, has no more guesses at a code than strangers have at the password, and cannot lock the person out of a
/// browser that the account knows.
struct CodeAttempt {
    private let person: Person
    private let credential: Credential
    private let isKnown: Bool
    private let knownBrowser: String?
    private let now: Date
    private let origin: Origin

    /// - Parameter knownBrowser: the secret of ``KnownBrowser`` that the browser has.
    /// - Returns: nil if the account has no password, so that it has no second factor either.
    static func begin(
        of person: Person, in knownBrowser: String?, at now: Date, from origin: Origin,
        in transaction: some Transaction
    ) throws -> CodeAttempt? {
        guard let credential = try Credential.find(for: person.id, in: transaction) else { return nil }
        return CodeAttempt(
            person: person, credential: credential,
            isKnown: try KnownBrowser.isKnown(knownBrowser, to: person.id, at: now, in: transaction),
            knownBrowser: knownBrowser, now: now, origin: origin)
    }

    /// Whether the password of the account is one that others have seen.
    var isTemporary: Bool { credential.temporaryUntil != nil }

    /// For how many seconds no code from this browser is looked at, 1 or more; nil if one is.
    var secondsToWait: Int? {
        guard !isKnown, let until = AttemptPause.running(until: credential.pausedUntil, at: now) else { return nil }
        return max(1, Int(until.timeIntervalSince(now).rounded(.up)))
    }

    /// - Parameter occasion: when the code was asked for, for the audit trail.
    func countWrong(_ occasion: String, in transaction: WriteTransaction) throws {
        let refusal = AccountRefusal(
            account: .init(
                personID: person.id, organizationID: person.organizationID, passwordHash: credential.passwordHash),
            now: now, origin: origin)
        if let knownBrowser, isKnown,
            try KnownBrowser.recordFailure(in: knownBrowser, of: person.id, in: transaction)
        {
            try refusal.note(
                .signIn, "wrong code \(occasion), in a browser that the account knows", in: transaction)
            return
        }
        try refusal.count("wrong code \(occasion)", of: person, in: transaction)
    }

    func countRight(in transaction: WriteTransaction) throws {
        if !isKnown { try Credential.recordSuccess(of: person.id, in: transaction) }
    }
}
