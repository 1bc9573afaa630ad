import Foundation
import Storage

/// Domain and time zone that apps see for locations without their own. Roster files contain neither, so a location that
/// an import creates would have none.
package struct LocationDefaults: Equatable, Sendable {
    package let domainName: String?
    /// IANA name.
    package let timeZone: String?

    package init(domainName: String?, timeZone: String?) {
        self.domainName = domainName
        self.timeZone = timeZone
    }
}

extension LocationDefaults {
    package static func find(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> LocationDefaults {
        try transaction.first(
            "SELECT location_domain, location_time_zone FROM organization WHERE id = $1", [organization]
        ) { LocationDefaults(domainName: try $0["location_domain"], timeZone: try $0["location_time_zone"]) }
            ?? LocationDefaults(domainName: nil, timeZone: nil)
    }

    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func put(for organization: OrganizationID, at now: Date, in transaction: WriteTransaction) throws {
        try Location.check(timeZone: timeZone)
        let domainName = try FieldRule.domainName.checkIfPresent(domainName?.lowercased(), field: "domain")
        guard
            try LocationDefaults(domainName: domainName, timeZone: timeZone) != .find(of: organization, in: transaction)
        else { return }
        try transaction.execute(
            "UPDATE organization SET location_domain = $2, location_time_zone = $3 WHERE id = $1",
            [organization, domainName, timeZone])
        // Apps see changed records of these locations.
        try transaction.execute(
            """
            UPDATE location SET modified_at = $2
            WHERE organization_id = $1 AND (domain_name IS NULL OR time_zone IS NULL)
            """,
            [organization, now])
    }
}
