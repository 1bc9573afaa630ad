import Foundation
import Ground
import Storage

/// What a browser gets when a person has signed in: a session, and what tells it from a stranger's later.
package struct BrowserEntry: Sendable {
    package let session: Secret
    /// Replaces the secret of ``KnownBrowser`` that the browser had. Nil after a temporary password, which others have
    /// seen: the browser becomes known when the person has chosen one.
    package let knownBrowser: Secret?

    /// - Parameters:
    ///   - token: of the session that the browser had; it ends.
    ///   - browser: the secret of ``KnownBrowser`` that the browser had.
    package static func begin(
        for person: PersonID, isTemporary: Bool = false, userAgent: String?, replacing token: String?, browser: String?,
        at now: Date, from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> BrowserEntry {
        BrowserEntry(
            session: try BrowserSession.insert(
                for: person, userAgent: userAgent, replacing: token, at: now, from: surroundings, in: transaction),
            knownBrowser: isTemporary
                ? nil
                : try KnownBrowser.remember(person, replacing: browser, at: now, from: surroundings, in: transaction))
    }
}
