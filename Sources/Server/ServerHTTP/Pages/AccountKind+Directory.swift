import Directory
import ServerPages
import Storage

extension AccountKind {
    init(of person: Person, in transaction: some Transaction) throws {
        self.init(try person.organizationID.flatMap { try Organization.find($0, in: transaction) })
    }

    /// - Parameter organization: the owner of the account.
    init(_ organization: Organization?) {
        self = organization.map { .managed(organization: Badge($0)) } ?? .personal
    }
}
