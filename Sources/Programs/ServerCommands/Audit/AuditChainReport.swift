import Directory
import Storage

/// One chain of the audit trail, checked from its first entry to its last.
struct AuditChainReport: Encodable, Sendable {
    /// The organization's id; absent for the server's own.
    let organization: String?
    let name: String
    /// The number of the first entry that is missing or was changed; absent if the chain is whole.
    let firstBroken: Int?

    /// Every chain there is, the server's first.
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
