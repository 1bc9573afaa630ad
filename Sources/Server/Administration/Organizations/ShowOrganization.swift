import Directory
import Storage

/// Shows an organization: its settings, its domains, and how much it has.
package struct ShowOrganization: Inquiry {
    package typealias Answer = OrganizationRecord

    package static let name = "organization.show"
    package static let summary = "Shows an organization: its settings, its domains, and how much it has."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "settings")
    package static let explanations: [String: String] = [:]

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> OrganizationRecord { try OrganizationRecord(organization, at: context.now, in: transaction) }
}

/// Lists the organizations of the server for its operator, and for everybody else their own.
package struct ListOrganizations: Inquiry {
    package static let name = "organization.list"
    package static let summary = "Lists the organizations of the server for its operator; for others, their own."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "organizations")
    package static let explanations = ["testSchool": "Whether to list the school behind the test scope too."]

    package struct Answer: Codable, Sendable {
        package let organizations: [OrganizationRecord]
    }

    package let testSchool: Bool?

    package init(testSchool: Bool? = nil) { self.testSchool = testSchool }

    package func subject(in context: OperationContext, _ transaction: some Transaction) -> OrganizationListing {
        OrganizationListing(only: context.organization)
    }

    package func answer(
        about listing: OrganizationListing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let found = try listing.only.map { [$0] } ?? Organization.list(in: transaction)
        let synthetic =
            try testSchool == true && listing.only == nil ? Organization.synthetic(in: transaction) : nil
        return Answer(
            organizations: try (found + [synthetic].compactMap(\.self)).map {
                try OrganizationRecord($0, at: context.now, in: transaction)
            })
    }
}

/// All organizations of the server, or one.
package struct OrganizationListing: OperationSubject {
    /// Nil for all.
    let only: Organization?

    package var subjectOrganization: OrganizationID? { only?.id }
    package var auditName: String { only?.auditName ?? "server" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { only.map { authority.has(privilege, in: $0.id) } ?? authority.isOperator }
}
