#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A person's ticket for further tickets (TGT), in a cache.
struct Ticket: Hashable, Codable, Sendable {
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

    /// When it is time for another one: a third of its life is left, or two minutes.
    var isDueAt: Date { expires.addingTimeInterval(-max(expires.timeIntervalSince(issued) / 3, 120)) }

    func isDue(at time: Date) -> Bool { time >= isDueAt }

    /// Whether it can be renewed without anybody's password.
    func isRenewable(at time: Date) -> Bool { renewableUntil.map { $0 > expires && $0 > time } ?? false }
}
