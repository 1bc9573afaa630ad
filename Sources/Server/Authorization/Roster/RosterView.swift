import Directory
import Foundation
import Storage

/// What an app can see: the roster of an organization, as far as its rules for the app let it.
package struct RosterView: Sendable {
    package let organization: Organization
    package let sharing: SharingFilter
    /// The time for which it holds, because roles have days.
    package let now: Date

    package init(of organization: Organization, for app: AppID, at now: Date, in transaction: some Transaction) throws {
        self.organization = organization
        self.now = now
        sharing = try SharingFilter.find(for: app, of: organization.id, at: now, in: transaction)
    }

    /// How many people the app sees.
    package func people(in transaction: some Transaction) throws -> Int {
        try RosterPerson.count(of: organization.id, through: sharing, at: now, in: transaction)
    }

    /// How many classes the app sees.
    package func classes(in transaction: some Transaction) throws -> Int {
        try RosterClass.count(of: organization.id, through: sharing, in: transaction)
    }
}
