import Directory
import Foundation
import Storage

/// Which term is meant: by its exact name.
package struct TermReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    static let explanation = "The exact name of the term."

    /// - Throws: ``OperationError/notFound(_:_:in:)``
    func find(in organization: Organization, _ transaction: some Transaction) throws -> Term {
        guard
            let found = try Term.find(text.precomposedStringWithCanonicalMapping, in: organization.id, transaction)
        else { throw OperationError.notFound(.term, text, in: organization.name) }
        return found
    }
}

extension Term: OperationSubject {
    package var subjectOrganization: OrganizationID? { organizationID }
    package var auditName: String { "term:\(id.rawValue)" }

    /// A term of one place is that place's; one of all places is the whole organization's.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool {
        authority.isOperator || organizationID == authority.organization && authority.has(privilege, at: location)
    }

    package func version(in transaction: some Transaction) throws -> String? {
        try TermRecord(self, in: transaction).version
    }
}
