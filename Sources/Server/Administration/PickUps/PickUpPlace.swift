import Directory
import Storage

/// Whose files a folder has: those of the whole organization, or those of one school. Of each there is one folder at most.
package struct PickUpPlace: OperationSubject {
    let organization: Organization
    /// Nil for the whole organization.
    let location: LocationID?
    /// Nil as long as no folder is read.
    let former: RosterPickUp?

    /// - Throws: the errors of ``LocationReference/findSchool(in:_:)``
    init(_ school: LocationReference?, in organization: Organization, _ transaction: some Transaction) throws {
        self.organization = organization
        location = try school.map { try Self.find($0, in: organization, transaction) }
        former = try RosterPickUp.find(at: location, of: organization.id, in: transaction)
    }

    /// By its number also a school that was archived since: its folder is given up all the same.
    private static func find(
        _ school: LocationReference, in organization: Organization, _ transaction: some Transaction
    ) throws -> LocationID {
        do {
            return try school.findAlsoArchived(in: organization, transaction).id
        } catch OperationError.notFound {
            return try school.findSchool(in: organization, transaction)
        }
    }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    /// Also files of one school can change people who are at others.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) -> String? { former?.version ?? .versionOfNothing }
}

extension RosterPickUp: OperationSubject {
    package var subjectOrganization: OrganizationID? { organization }
    package var auditName: String { "organization:\(organization.rawValue)" }

    /// As for ``PickUpPlace``.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization) }

    package func version(in transaction: some Transaction) -> String? { version }

    /// Changes with what was set up, and not with what comes of reading the folder.
    var version: String { .version(of: ["\(hour)", publicKey ?? ""]) }
}
