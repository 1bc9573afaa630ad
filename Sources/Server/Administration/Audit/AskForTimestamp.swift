import Directory
import Foundation
import Ground
import Storage

/// Makes the request with which a timestamp authority is asked to stamp the newest hash of the trail. RFC 3161.
package struct AskForTimestamp: Inquiry {
    package static let name = "audit.anchor-query"
    package static let summary = "Makes the request for a timestamp of the newest hash of the audit trail."
    package static let privilege = Privilege.readAudit
    package static let route = OperationRoute(.get, "audit/anchor-query")
    package static let explanations = ["ofServer": "Of the server itself. Only the operator sees it."]

    package struct Answer: Codable, Sendable {
        /// The number of the entry.
        package let number: Int
        /// Its hash, in hexadecimal.
        package let hash: String
        /// The request as it is sent to the authority, in base64.
        package let query: String
    }

    package let ofServer: Bool?

    package init(ofServer: Bool? = nil) { self.ofServer = ofServer }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AuditTrail {
        AuditTrail(organization: ofServer == true ? nil : try context.requiredOrganization(transaction))
    }

    package func answer(
        about trail: AuditTrail, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        guard let head = try AuditRecord.head(of: trail.organization?.id, in: transaction) else {
            throw OperationError.refused("The audit trail has no entry yet.")
        }
        let query = TimestampQuery.bytes(
            for: head.hash, nonce: context.services.surroundings.randomBytes(8))
        return Answer(
            number: head.sequence, hash: head.hash.hexadecimal, query: Data(query).base64EncodedString())
    }
}
