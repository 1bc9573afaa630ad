import Foundation

/// An organization that shares its roster with Quizzler.
struct Connection: Codable, Equatable, Sendable {
    /// The `Organization.id` of the roster API.
    let organizationID: String
    var organizationName: String
    /// New each time the organization connects. A sync that began with an earlier id must not store anything.
    let id: UUID
    let refreshToken: String
    let connectedAt: Date
    /// `QuizzlerContext.visitorKey` of whoever connected it.
    let visitorKey: String?
    /// Nil until the first sync is complete.
    var roster: Roster?
    var lastSync: Sync?
    /// Nil if the latest attempt succeeded.
    var lastFailure: Failure?

    struct Sync: Codable, Equatable, Sendable {
        var at: Date
        /// Nil for the first one.
        var changes: RosterChanges?
    }

    struct Failure: Codable, Equatable, Sendable {
        var at: Date
        /// A sentence for people.
        var message: String
    }

    /// After a failure the next sync is due sooner than after the interval, but not at once, because the cause needs
    /// time to go away.
    func isDue(every interval: TimeInterval, at time: Date) -> Bool {
        if let lastFailure {
            return lastFailure.at.addingTimeInterval(min(interval, 3_600)) <= time
        }
        return lastSync.map { $0.at.addingTimeInterval(interval) <= time } ?? true
    }
}

/// A message that is shown after a connection has ended.
struct Notice: Codable, Equatable, Sendable {
    let id: UUID
    let at: Date
    var message: String
    /// `QuizzlerContext.visitorKey` of the visitor who gets to see it.
    let visitorKey: String?
}
