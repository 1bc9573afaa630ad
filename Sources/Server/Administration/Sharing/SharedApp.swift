import Authorization
import Directory
import Storage

/// An app, as far as one organization decides about it. Apps are the same for all organizations of a server; what each
/// shares with them is its own.
package struct SharedApp: OperationSubject {
    let app: App
    let organization: Organization

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { "app:\(app.id.rawValue)" }

    /// What an app sees is of the whole organization, so the privilege must be too.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) throws -> String? {
        SharingRecord.version(of: try rules(in: transaction))
    }

    func rules(in transaction: some Transaction) throws -> SharingRules {
        try SharingRules.find(for: app.id, of: organization.id, in: transaction)
    }
}

extension AppReference {
    static let explanation = "The app: a client id, its exact name, or its number, such as `app:12`."

    func findShared(in context: OperationContext, _ transaction: some Transaction) throws -> SharedApp {
        let organization = try context.requiredOrganization(transaction)
        return SharedApp(app: try find(in: organization, transaction), organization: organization)
    }

    func findSharedToChange(in context: OperationContext, _ transaction: some Transaction) throws -> SharedApp {
        let organization = try context.organizationToChange(transaction)
        let app = try find(in: organization, transaction)
        guard app.removedAt == nil else {
            throw OperationError.refused("\(app.name) was removed from this server, and reads nothing any more.")
        }
        return SharedApp(app: app, organization: organization)
    }
}
