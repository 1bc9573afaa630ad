import Directory
import Storage

/// Names an organization.
package enum OrganizationReference: Equatable, Sendable {
    /// A UUID or an exact name.
    case named(String)
    /// The caller's own organization. The operator has none: then it is the only one that exists, if the operation
    /// needs one; most operations find a person in all organizations.
    case only

    package init(_ text: String?) { self = text.map(Self.named) ?? .only }

    /// - Returns: nil if no organization is named and the caller is the operator, or belongs to none.
    /// - Throws: ``OperationError/notFound(_:_:in:)``, also for an organization that exists but is not the caller's.
    func find(for authority: Authority, in transaction: some Transaction) throws -> Organization? {
        guard !authority.isOperator else {
            guard case .named(let text) = self else { return nil }
            return try Self.find(text, in: transaction)
        }
        guard let own = authority.organization else {
            guard case .named(let text) = self else { return nil }
            throw OperationError.notFound(.organization, text, in: nil)
        }
        guard let organization = try Organization.find(own, in: transaction) else { throw OperationError.signedOut }
        if case .named(let text) = self, text != organization.publicID, text != organization.name {
            throw OperationError.notFound(.organization, text, in: nil)
        }
        return organization
    }

    private static func find(_ text: String, in transaction: some Transaction) throws -> Organization {
        if let found = try Organization.find(publicID: text, in: transaction) { return found }
        let synthetic = try Organization.synthetic(in: transaction).map { [$0] } ?? []
        let named = (try Organization.list(in: transaction) + synthetic).filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0: throw OperationError.notFound(.organization, text, in: nil)
        default: throw OperationError.ambiguous(.organization, text, named.map(\.publicID))
        }
    }
}

extension OperationContext {
    /// The organization that was named, or the only one that exists, not counting sandboxes. One that was erased counts only
    /// where it is alone.
    /// - Throws: ``OperationError/unnamedOrganization(count:)``
    func requiredOrganization(_ transaction: some Transaction) throws -> Organization {
        if let organization { return organization }
        // A caller who belongs to no organization has no privilege in any, and was refused before. If one comes here
        // all the same, they learn of no organization.
        guard authority.isOperator else { throw OperationError.unnamedOrganization(count: 0) }
        let found = try Organization.listOwn(in: transaction)
        let all = found.count == 1 ? found : found.filter { $0.closing?.erasedAt == nil }
        guard all.count == 1 else { throw OperationError.unnamedOrganization(count: all.count) }
        return all[0]
    }

    /// The same as ``requiredOrganization(_:)``, for a change.
    /// - Throws: also for the test school, which nobody may change, because it is the same on every server.
    func organizationToChange(_ transaction: some Transaction) throws -> Organization {
        let organization = try requiredOrganization(transaction)
        guard !organization.isSynthetic else {
            throw OperationError.refused(
                "\(organization.name) belongs to Lanyard itself and is the same on every server. Choose another.")
        }
        return organization
    }
}

extension Inquiry where Subject == Organization {
    /// The organization that was named, or the only one that exists.
    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        try context.requiredOrganization(transaction)
    }
}

extension Change where Subject == Organization {
    /// The same, but never the test school.
    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        try context.organizationToChange(transaction)
    }
}
