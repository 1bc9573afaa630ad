import Directory
import Storage

/// Lists the terms in the order in which they begin, closed ones included.
package struct ListTerms: Inquiry {
    package static let name = "term.list"
    package static let summary = "Lists the terms in the order in which they begin, closed ones included."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.get, "terms")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let terms: [TermRecord]
    }

    package init() {}

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Listing {
        Listing(organization: try context.requiredOrganization(transaction))
    }

    package func answer(
        about subject: Listing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let organization = try subject.organization ?? context.requiredOrganization(transaction)
        return Answer(
            terms: try Term.list(of: organization.id, in: transaction).map { try TermRecord($0, in: transaction) })
    }
}
