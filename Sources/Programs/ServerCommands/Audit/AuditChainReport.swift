import Directory
import Storage

/// The result of checking one chain of the audit trail from its first entry to its last.
struct AuditChainReport: Encodable, Sendable {
    /// The organization's id; nil for the chain of the server itself.
    let organization: String?
    let name: String
    /// The number of the first entry that is missing or was changed; nil if the chain is intact.
    let firstBroken: Int?

    /// Checks all chains. The server's is first.
    static func checkAll(in transaction: some Transaction) throws -> [AuditChainReport] {
        let synthetic = try Organization.synthetic(in: transaction)
        let organizations = try Organization.list(in: transaction) + [synthetic].compactMap { $0 }
        let ofServer = AuditChainReport(
            organization: nil, name: "the server",
            firstBroken: try AuditRecord.firstBreak(of: nil, in: transaction))
        return try [ofServer]
            + organizations.map { organization in
                AuditChainReport(
                    organization: organization.publicID, name: organization.name,
                    firstBroken: try AuditRecord.firstBreak(of: organization.id, in: transaction))
            }
    }
}
