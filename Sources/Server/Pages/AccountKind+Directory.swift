import Directory
import ServerPages

extension AccountKind {
    /// - Parameter organization: the owner of the account.
    init(_ organization: Organization?) {
        self = organization.map { .managed(organization: Badge(name: $0.name, id: $0.publicID)) } ?? .personal
    }
}
