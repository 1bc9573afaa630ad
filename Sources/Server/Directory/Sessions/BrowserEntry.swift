import Foundation
import Ground
import Storage

/// What a browser gets when a person has signed in: a session, and the secret by which the account knows the browser
/// later.
package struct BrowserEntry: Sendable {
    package let session: Secret
    /// Replaces the browser's secret of ``KnownBrowser``. Nil after a temporary password, which others have seen, because the
    /// browser becomes known only when the person has chosen a password; and nil if nobody need have been there.
    package let knownBrowser: Secret?

    /// - Parameters:
    ///   - methods: how the person has proved who they are.
    ///   - token: the token of the session that the browser had; that session ends.
    ///   - browser: the secret of ``KnownBrowser`` that the browser had.
    package static func begin(
        for person: PersonID, by methods: SignInMethods = .password, isTemporary: Bool = false, userAgent: String?,
        replacing token: String?, browser: String?, at now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> BrowserEntry {
        BrowserEntry(
            session: try BrowserSession.insert(
                for: person, by: methods, userAgent: userAgent, replacing: token, at: now, from: surroundings,
                in: transaction),
            knownBrowser: isTemporary || methods.isUnattended
                ? nil
                : try KnownBrowser.remember(person, replacing: browser, at: now, from: surroundings, in: transaction))
    }
}
