import Directory
import Storage

/// Which id map is meant: by its number.
package struct IDMapReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ number: Int64) { text = "\(number)" }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// - Throws: ``OperationError/notFound(_:_:in:)``
    func find(in organization: Organization, _ transaction: some Transaction) throws -> IDMap {
        guard let number = Int64(text), let found = try IDMap.find(number, in: organization.id, transaction) else {
            throw OperationError.notFound(.idMap, text, in: organization.name)
        }
        return found
    }
}

extension IDMap: OperationSubject {
    package var subjectOrganization: OrganizationID? { organizationID }
    package var auditName: String { "id-map:\(id)" }

    /// An id map concerns records of all places, so that the privilege must be for the whole organization.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organizationID) }
}
