import Directory
import Foundation
import Storage

/// What administrators see of a domain of an organization.
package struct DomainRecord: Codable, Equatable, Sendable, Versioned {
    package let name: String
    /// Nil for a domain of which nobody has found out yet that it is the organization's.
    package let verifiedAt: Date?
    /// How many personal accounts have an address of the domain. Only the operator is told, when the domain is added.
    package let personalAccounts: Int?
    /// The TXT record by which the organization shows that the domain is its own. Only `domain.list` gives it, for
    /// domains that are not verified.
    package let record: DomainProof?
    /// See ``OperationSubject/version(in:)``.
    package let version: String

    init(_ domain: Domain, personalAccounts: Int? = nil, record: DomainProof? = nil) {
        name = domain.name
        verifiedAt = domain.verifiedAt
        self.personalAccounts = personalAccounts
        self.record = record
        version = domain.version
    }
}

extension OperationContext {
    /// A domain of the organization to change.
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    func findDomain(_ name: String, of organization: Organization, _ transaction: some Transaction) throws -> Domain {
        guard let found = try organization.domain(name, transaction) else {
            throw OperationError.notFound(.domain, name.lowercased(), in: organization.name)
        }
        return found
    }
}

extension Organization {
    /// - Returns: nil if it has no such domain
    func domain(_ name: String, _ transaction: some Transaction) throws -> Domain? {
        let name = name.lowercased()
        return try Domain.list(of: id, in: transaction).first { $0.name == name }
    }
}
