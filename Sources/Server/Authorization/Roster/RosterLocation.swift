import Directory
import Foundation

/// A location as apps see it. Fields that it does not have itself are those of its organization.
package struct RosterLocation: Equatable, Sendable {
    package let id: LocationID
    package let name: String
    package let domainName: String?
    /// IANA name.
    package let timeZone: String?
    package let createdAt: Date
    package let modifiedAt: Date

    init(_ location: Location, _ defaults: LocationDefaults) {
        id = location.id
        name = location.name
        domainName = location.domainName ?? defaults.domainName
        timeZone = location.timeZone ?? defaults.timeZone
        createdAt = location.createdAt
        modifiedAt = location.modifiedAt
    }
}

/// An organization as apps see it.
package struct RosterOrganization: Sendable {
    package let organization: Organization
    package let domains: [Domain]
}
