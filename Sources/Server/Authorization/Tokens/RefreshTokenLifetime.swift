import Foundation

/// How long apps keep people signed in by refresh tokens. What an organization shares is not meant: that ends with its
/// consent.
package struct RefreshTokenLifetime: Sendable {
    /// Seconds without a use, to the day.
    package var idle: TimeInterval = 365 * 86_400
    /// Seconds since the person signed in to the app; nil: as long as the token is used.
    package var absolute: TimeInterval?

    package init() {}
}

extension Grant {
    /// A use is noted when the last one that was noted is so long ago: a refresh is to write as little as it can.
    private static let noteInterval: TimeInterval = 86_400

    /// Whether the time of its refresh token is over.
    func isOver(at now: Date, _ lifetime: RefreshTokenLifetime) -> Bool {
        guard case .person = basis, let usedAt else { return false }
        return usedAt.addingTimeInterval(lifetime.idle) <= now
            || lifetime.absolute.map { createdAt.addingTimeInterval($0) <= now } ?? false
    }

    /// Also where the last use is noted for a time to come, by a clock that was wrong.
    func isUseNews(at now: Date) -> Bool {
        guard case .person = basis, let usedAt else { return false }
        return abs(now.timeIntervalSince(usedAt)) >= Self.noteInterval
    }
}
