import Directory
import Foundation

/// Whether an organization was open or closed at a moment, as lists say it that are kept apart from the copies of the database. An organization
/// that was closed after a copy was made is open in it, and would let people in again.
package struct OrganizationStanding: Codable, Equatable, Sendable {
    package struct Closing: Codable, Equatable, Sendable {
        package let closedAt: Date
        /// The day from which on all of it is erased.
        package let erasesOn: CalendarDay

        package init(closedAt: Date, erasesOn: CalendarDay) {
            self.closedAt = closedAt
            self.erasesOn = erasesOn
        }
    }

    /// The organization's id.
    package let organization: String
    package let listedAt: Date
    /// Nil for one that was open.
    package let closing: Closing?

    package init(_ organization: Organization, at now: Date) {
        self.organization = organization.publicID
        listedAt = now
        closing = organization.closing.map { Closing(closedAt: $0.closedAt, erasesOn: $0.erasesOn) }
    }
}

extension [OrganizationStanding] {
    /// What was said last of each organization.
    package var latest: [OrganizationStanding] {
        Dictionary(grouping: self, by: \.organization).values.compactMap { $0.max { $0.listedAt < $1.listedAt } }
            .sorted { $0.organization < $1.organization }
    }
}
