import Foundation
import Storage

/// A timestamp that an authority has given for the hash of an entry.
package struct AuditAnchor: Sendable {
    package let sequence: Int
    /// As the authority says.
    package let at: Date
    package let reply: [UInt8]

    package init(sequence: Int, at: Date, reply: [UInt8]) {
        self.sequence = sequence
        self.at = at
        self.reply = reply
    }
}

extension AuditRecord {
    /// The number and hash of the last entry; nil if the chain has none.
    package static func head(
        of organization: OrganizationID?, in transaction: some Transaction
    ) throws -> (sequence: Int, hash: [UInt8])? {
        try transaction.first(
            "SELECT sequence, hash FROM audit_entry WHERE organization_id = $1 ORDER BY sequence DESC LIMIT 1",
            [organization ?? .none]
        ) { (try $0["sequence"], try $0["hash"]) }
    }

    package static func hash(
        at sequence: Int, of organization: OrganizationID?, in transaction: some Transaction
    ) throws -> [UInt8]? {
        try transaction.first(
            "SELECT hash FROM audit_entry WHERE organization_id = $1 AND sequence = $2",
            [organization ?? .none, sequence]
        ) { try $0[0] }
    }

    /// The newest entry with a hash. It looks at the whole chain if need be.
    package static func sequence(
        ofHash hash: [UInt8], of organization: OrganizationID?, in transaction: some Transaction
    ) throws -> Int? {
        try transaction.first(
            "SELECT sequence FROM audit_entry WHERE organization_id = $1 AND hash = $2 ORDER BY sequence DESC LIMIT 1",
            [organization ?? .none, hash]
        ) { try $0[0] }
    }

    /// The numbers of the first and the last entry of a time; nil if there is none. Clocks go back at times: what lies
    /// between these two is the part of the chain that has all of that time.
    package static func bounds(
        of organization: OrganizationID?, from: Date?, until: Date?, in transaction: some Transaction
    ) throws -> ClosedRange<Int>? {
        func seconds(_ date: Date) -> Int64 { Int64(min(max(date.timeIntervalSince1970.rounded(.up), -1e15), 1e15)) }
        return try transaction.first(
            """
            SELECT MIN(sequence) AS first, MAX(sequence) AS last FROM audit_entry
            WHERE organization_id = $1 AND at >= $2 AND at < $3
            """, [organization ?? .none, from.map(seconds) ?? .min, until.map(seconds) ?? .max]
        ) { row -> ClosedRange<Int>? in
            guard let first = try row["first"] as Int?, let last = try row["last"] as Int? else { return nil }
            return first...last
        } ?? nil
    }

    /// The next entries, oldest first, as a file has them.
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - bytesMax: how many bytes the details of the entries may have together before no more entries are given, even
    ///     if the limit allows them: an entry about many people is long. One entry is always given.
    package static func export(
        of organization: OrganizationID?, after sequence: Int, limit: Int, bytesMax: Int,
        in transaction: some Transaction
    ) throws -> [AuditExport.Entry] {
        var entries: [AuditExport.Entry] = []
        var bytes = 0
        while entries.count < limit, bytes < bytesMax {
            let batch = try chain(
                of: organization, after: entries.last?.number ?? sequence, limit: min(limit - entries.count, 100),
                in: transaction)
            if batch.isEmpty { break }
            for (record, hash) in batch where bytes < bytesMax {
                entries.append(AuditExport.Entry(record, hash: hash))
                bytes += record.detail.utf8.count
            }
        }
        return entries
    }
}

extension AuditAnchor {
    /// - Returns: false if it is there already.
    package func insert(for organization: OrganizationID?, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            INSERT INTO audit_anchor (organization_id, sequence, at, reply) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """, [organization ?? .none, sequence, at, reply]) > 0
    }

    /// How many were kept since a time.
    package static func count(
        of organization: OrganizationID?, since start: Date, in transaction: some Transaction
    ) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM audit_mention WHERE organization_id = $1 AND term = $2 AND at >= $3",
            [organization ?? .none, AuditMention.action(.auditAnchored).term, start]
        ) { try $0[0] } ?? 0
    }

    package static func list(
        of organization: OrganizationID?, within sequences: ClosedRange<Int>, in transaction: some Transaction
    ) throws -> [AuditAnchor] {
        try transaction.all(
            """
            SELECT sequence, at, reply FROM audit_anchor
            WHERE organization_id = $1 AND sequence BETWEEN $2 AND $3 ORDER BY sequence, at
            """, [organization ?? .none, sequences.lowerBound, sequences.upperBound]
        ) { AuditAnchor(sequence: try $0["sequence"], at: try $0["at"], reply: try $0["reply"]) }
    }
}
