import Crypto
import Foundation
import Storage

extension AuditRecord {
    /// SHA-256 over the previous entry's hash and every field. Each field is preceded by its length, so that no two
    /// entries give the same sequence of bytes.
    func hash(after previous: [UInt8]) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(data: previous)
        let fields = [
            String(sequence), String(Int(at.timeIntervalSince1970.rounded(.down))), actor, action, subject, outcome,
            detail,
            origin,
        ]
        for field in fields { hasher.update(data: Data("\(field.utf8.count):\(field)".utf8)) }
        return Array(hasher.finalize())
    }

    /// - Returns: the sequence number of the first entry whose hash does not follow from the one before; nil if the
    ///   chain is intact.
    package static func firstBreak(of organization: OrganizationID?, in transaction: some Transaction) throws -> Int? {
        var previous: [UInt8] = []
        var sequence = 0
        while true {
            let page = try chain(of: organization, after: sequence, limit: 1_000, in: transaction)
            if page.isEmpty { return nil }
            for (record, hash) in page {
                guard record.sequence == sequence + 1, record.hash(after: previous) == hash else { return sequence + 1 }
                previous = hash
                sequence = record.sequence
            }
        }
    }

    /// Entries with their hashes: the next `limit` after `sequence`, oldest first.
    static func chain(
        of organization: OrganizationID?, after sequence: Int, limit: Int, in transaction: some Transaction
    ) throws -> [(record: AuditRecord, hash: [UInt8])] {
        try transaction.all(
            """
            SELECT sequence, at, actor, action, subject, outcome, detail, origin, hash FROM audit_entry
            WHERE organization_id = $1 AND sequence > $2
            ORDER BY sequence
            LIMIT $3
            """,
            [organization ?? .none, sequence, limit]
        ) { (try AuditRecord($0), try $0["hash"]) }
    }
}
