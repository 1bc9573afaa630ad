import Directory
import Storage

extension Administrator {
    /// The organization in which the caller works, and what they may do at some place of it.
    package struct Standing: Sendable {
        package let organization: Organization
        package let privileges: Set<Privilege>
        /// Those of the changes that were named which the caller made, and which can still be undone.
        package let changes: [Int64]
    }

    /// - Parameter changes: the numbers of changes that the caller may have made.
    /// - Throws: ``OperationError/signedOut`` for callers who belong to no organization, or to one that has ended.
    package func standing(after changes: [Int64] = []) async throws -> Standing {
        try await database.read { transaction in
            let authority = try authority(in: transaction)
            guard let id = authority.organization, let organization = try Organization.find(id, in: transaction)
            else { throw OperationError.signedOut }
            let open = try changes.filter { number in
                guard let record = try ChangeRecord.find(number, in: transaction) else { return false }
                return record.undoneAt == nil && record.organization == id && record.actor == authority.actor.text
            }
            return Standing(organization: organization, privileges: authority.privileges, changes: open)
        }
    }
}
