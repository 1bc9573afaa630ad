import Directory
import Foundation
import Storage

/// What administrators see of a term.
package struct TermRecord: Codable, Equatable, Sendable, Versioned {
    package let name: String
    package let firstDay: CalendarDay
    package let lastDay: CalendarDay
    /// `LO:` and a number; nil for all places.
    package let locationID: String?
    package let location: String?
    /// How many of its classes apps see. Up to two thousand it is exact; beyond, it can be ten minutes old.
    package let classes: Int
    package let closedAt: Date?
    package let version: String

    init(_ found: Term, in transaction: some Transaction) throws {
        let found = try Term.find(found.id, in: transaction) ?? found
        name = found.name
        firstDay = found.firstDay
        lastDay = found.lastDay
        locationID = found.location.map { "LO:\($0.rawValue)" }
        location = try found.location.flatMap { try Location.find($0, in: found.organizationID, transaction)?.name }
        classes = try KeptNumbers.livingClasses(of: found, in: transaction)
        closedAt = found.closedAt
        // A number that is counted now and then does not say that somebody has changed something.
        let counted = min(classes, CountedRecords.atOnce + 1)
        let parts = [
            found.name, found.firstDay.text, found.lastDay.text, found.closedAt == nil ? "" : "closed", "\(counted)",
        ]
        version = .version(of: parts.joined(separator: "\u{0}").utf8)
    }
}
