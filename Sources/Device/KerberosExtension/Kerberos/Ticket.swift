#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A person's ticket for further tickets (TGT), in a cache.
struct Ticket: Hashable, Sendable {
    /// With its realm, such as `mika@CORP.ACME.TEST`.
    let principal: String
    /// The name of the cache.
    let cache: String
    let issued: Date
    let expires: Date
    /// nil if it cannot be renewed.
    let renewableUntil: Date?

    /// Services refuse tickets that end while they look at them.
    func isValid(at time: Date) -> Bool { expires.timeIntervalSince(time) > 60 }

    /// Whether it is time to renew: less than a third of its life is left, and it still can be.
    func isDue(at time: Date) -> Bool {
        guard isValid(at: time), let renewableUntil, renewableUntil > expires else { return false }
        return expires.timeIntervalSince(time) < expires.timeIntervalSince(issued) / 3
    }
}
