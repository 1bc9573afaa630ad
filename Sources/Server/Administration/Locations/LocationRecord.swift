import Directory
import Foundation
import Storage

/// What administrators see of a location.
package struct LocationRecord: Codable, Equatable, Sendable, Versioned {
    /// `LO:` and a number, as apps see it.
    package let id: String
    /// `location_id` in the school's own records.
    package let locationID: String?
    package let name: String
    package let source: RecordSource
    package let domain: String?
    /// The IANA name.
    package let timeZone: String?
    /// Nil for passwords of 8 characters or more.
    package let studentPasswordPolicy: PasswordPolicy?
    /// Since when it is removed; nil for all others.
    package let removedAt: Date?
    package let version: String

    init(_ location: Location) {
        id = "LO:\(location.id.rawValue)"
        locationID = location.sourceID
        name = location.name
        source = location.source
        domain = location.domainName
        timeZone = location.timeZone
        studentPasswordPolicy = location.studentPasswordPolicy
        removedAt = location.archivedAt
        let parts =
            [name, domain, timeZone, studentPasswordPolicy?.rawValue].map { $0 ?? "\u{1}" }
            + (removedAt == nil ? [] : ["removed"])
        version = .version(of: parts.joined(separator: "\u{0}").utf8)
    }
}

extension Location: OperationSubject {
    package var subjectOrganization: OrganizationID? { organizationID }
    package var auditName: String { "location:\(id.rawValue)" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool {
        authority.isOperator || organizationID == authority.organization && authority.has(privilege, at: id)
    }

    package func version(in transaction: some Transaction) -> String? { LocationRecord(self).version }
}

extension LocationReference {
    static let explanation = "A location's id, its exact name, or `LO:` and its number."
}
