import Foundation

/// How long apps can keep people signed in with refresh tokens. It does not apply to roster access, which ends with the
/// organization's consent.
package struct RefreshTokenLifetime: Sendable {
    /// Seconds without a use after which the token expires, to the day.
    package var idle: TimeInterval = 365 * 86_400
    /// Seconds after the sign-in to the app, after which the token expires; nil if it does not, as long as it is used.
    package var absolute: TimeInterval?

    package init() {}
}

extension Grant {
    /// A use is recorded only if the last recorded one is this many seconds ago, because most refreshes should write
    /// nothing.
    private static let noteInterval: TimeInterval = 86_400

    /// Whether the grant's refresh token has expired.
    func isOver(at now: Date, _ lifetime: RefreshTokenLifetime) -> Bool {
        guard case .person = basis, let usedAt else { return false }
        return usedAt.addingTimeInterval(lifetime.idle) <= now
            || lifetime.absolute.map { createdAt.addingTimeInterval($0) <= now } ?? false
    }

    /// Whether a use has to be recorded. True also if the last recorded use lies in the future, because of a wrong
    /// clock.
    func isUseNews(at now: Date) -> Bool {
        guard case .person = basis, let usedAt else { return false }
        return abs(now.timeIntervalSince(usedAt)) >= Self.noteInterval
    }
}
