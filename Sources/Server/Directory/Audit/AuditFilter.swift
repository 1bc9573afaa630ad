import Foundation
import Storage

/// Which entries of a chain are asked for.
package struct AuditFilter: Sendable {
    /// Groups of mentions: an entry must have at least one mention of each group.
    package var mentioning: [[AuditMention]] = []
    package var outcome: AuditEntry.Outcome?
    package var from: Date?
    /// Entries from this moment on are left out.
    package var until: Date?

    package init() {}
}

/// A page of entries, the newest first.
package struct AuditPage: Sendable {
    package let records: [AuditRecord]
    /// The number before which the next page begins; nil on the last one. A page can have fewer entries than were asked
    /// for, even none, and be followed by another one, because each looks through a limited number of entries for those
    /// that fit.
    package let next: Int?
}

extension AuditRecord {
    /// How many entries one page looks through, so that it takes as long for any question to any trail.
    private static let scannedMax = 20_000

    /// The entries that a filter lets through, the newest first.
    /// - Parameter number: the number of the entry before which the page begins; nil to begin with the newest.
    /// - Returns: nil if there is no entry of that number.
    package static func page(
        of organization: OrganizationID?, matching filter: AuditFilter, before number: Int?, limit: Int,
        in transaction: some Transaction
    ) throws -> AuditPage? {
        let chain = organization ?? .none
        var cursor = AuditPosition.end
        if let number {
            guard let found = try AuditPosition.of(number, in: chain, transaction) else { return nil }
            cursor = found
        }
        let scan = try AuditScan(filter, of: chain, before: cursor, in: transaction)
        var (found, scanned, chunk): ([Int], Int, Int) = ([], 0, limit + 1)
        var isAtEnd = false
        while found.count <= limit, scanned < scannedMax, !isAtEnd {
            let next = try scan.next(chunk, before: cursor, in: transaction)
            found += next.filter(\.isWanted).map(\.position.sequence)
            scanned += next.count
            isAtEnd = next.count < chunk
            cursor = next.last?.position ?? cursor
            chunk = min(chunk * 4, 5_000)
        }
        let shown = Array(found.prefix(limit))
        let end = found.count > limit ? shown.last : isAtEnd ? nil : cursor.sequence
        return AuditPage(records: try list(shown, of: chain, in: transaction), next: end)
    }

    /// The entries with these numbers, in that order.
    private static func list(
        _ sequences: [Int], of chain: OrganizationID, in transaction: some Transaction
    ) throws -> [AuditRecord] {
        guard !sequences.isEmpty else { return [] }
        let places = sequences.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
        // Put in order here: asked for an order by time, SQLite goes through the index of times, and so through the whole trail.
        let found = try transaction.all(
            """
            SELECT sequence, at, actor, action, subject, outcome, detail, origin FROM audit_entry
            WHERE organization_id = $1 AND sequence IN (\(places))
            """,
            [chain] + sequences, AuditRecord.init)
        let records = Dictionary(uniqueKeysWithValues: found.map { ($0.sequence, $0) })
        return sequences.compactMap { records[$0] }
    }
}

/// Where an entry stands when the newest are first.
struct AuditPosition: Hashable, Sendable {
    /// Unix seconds.
    let at: Int64
    let sequence: Int

    /// After the newest entry.
    static let end = AuditPosition(at: .max, sequence: .max)

    static func of(_ sequence: Int, in chain: OrganizationID, _ transaction: some Transaction) throws -> AuditPosition?
    {
        try transaction.first(
            "SELECT at FROM audit_entry WHERE organization_id = $1 AND sequence = $2", [chain, sequence]
        ) { AuditPosition(at: try $0[0], sequence: sequence) }
    }

    func isNewer(than other: AuditPosition) -> Bool { (at, sequence) > (other.at, other.sequence) }
}

/// Goes through the entries that a filter may let through, from the newest on. It goes by the group of mentions that
/// the fewest entries have, and looks up in the same index whether each entry has a mention of the other groups too.
private struct AuditScan {
    let chain: OrganizationID
    /// Unix seconds.
    let from: Int64
    /// The group of mentions by which it goes; nil to go through all entries.
    let leading: [AuditMention]?
    let others: [[AuditMention]]
    let excluded: [AuditMention]
    private let begin: AuditPosition

    struct Step {
        let position: AuditPosition
        let isWanted: Bool
    }

    /// Counting stops at this number, because it only has to find out which group of mentions the fewest entries have.
    private static let countMax = 2_000
    private static let termsMax = 1_000

    init(
        _ filter: AuditFilter, of chain: OrganizationID, before cursor: AuditPosition, in transaction: some Transaction
    ) throws {
        self.chain = chain
        // Times of entries are whole seconds: those before a fraction of a second are those up to its whole second.
        func seconds(_ date: Date) -> Int64 { Int64(min(max(date.timeIntervalSince1970.rounded(.up), -1e15), 1e15)) }
        from = filter.from.map(seconds) ?? .min
        begin = AuditPosition(at: filter.until.map(seconds) ?? .max, sequence: .min)
        var groups = filter.mentioning
        if filter.outcome == .refused { groups.append([.refused]) }
        excluded = filter.outcome == .done ? [.refused] : []
        let (from, last) = (from, begin.isNewer(than: cursor) ? cursor : begin)
        // Most blocks of ids have no entry, so those that have one are found first, all by one statement.
        let found = try groups.map { try Self.count($0, of: chain, from: from, before: last, in: transaction) }
        groups = zip(groups, found).map { group, counts in group.filter { counts[$0.term] != nil } }
        let sums = found.map { $0.values.reduce(0, +) }
        guard let fewest = sums.indices.min(by: { sums[$0] < sums[$1] }) else {
            leading = nil
            others = []
            return
        }
        leading = groups.remove(at: fewest)
        others = groups
    }

    /// How many entries each of some mentions has, by its term, up to ``countMax``. Those without an entry are left
    /// out.
    private static func count(
        _ mentions: [AuditMention], of chain: OrganizationID, from: Int64, before end: AuditPosition,
        in transaction: some Transaction
    ) throws -> [String: Int] {
        guard !mentions.isEmpty else { return [:] }
        // Databases take some ten thousand parameters at most, and somebody can be in very many classes.
        guard mentions.count <= termsMax else {
            let (first, rest) = (mentions.prefix(termsMax), mentions.dropFirst(termsMax))
            return try count(Array(first), of: chain, from: from, before: end, in: transaction)
                .merging(count(Array(rest), of: chain, from: from, before: end, in: transaction)) { one, _ in one }
        }
        let terms = mentions.indices.map { "($\($0 + 5))" }.joined(separator: ", ")
        let counts = try transaction.all(
            """
            WITH asked (term) AS (VALUES \(terms))
            SELECT term, (
                SELECT COUNT(*) FROM (
                    SELECT 1 FROM audit_mention
                    WHERE organization_id = $1 AND audit_mention.term = asked.term
                      AND at >= $2 AND (at, sequence) < ($3, $4)
                    LIMIT \(countMax)
                ) AS counted
            ) AS entries
            FROM asked
            """, [chain, from, end.at, end.sequence] + mentions.map(\.term)
        ) { (term: try $0["term"] as String, entries: try $0["entries"] as Int) }
        return Dictionary(counts.lazy.filter { $0.entries > 0 }.map { ($0.term, $0.entries) }) { first, _ in first }
    }

    /// The next entries before the cursor. Fewer than `count` are the last ones.
    func next(_ count: Int, before cursor: AuditPosition, in transaction: some Transaction) throws -> [Step] {
        let cursor = begin.isNewer(than: cursor) ? cursor : begin
        guard let leading else { return try scan(nil, count, before: cursor, in: transaction) }
        // An entry can have several of the mentions; it counts once.
        var steps: [AuditPosition: Bool] = [:]
        for mention in leading {
            for step in try scan(mention, count, before: cursor, in: transaction) {
                steps[step.position] = step.isWanted
            }
        }
        let sorted = steps.sorted { $0.key.isNewer(than: $1.key) }
        return sorted.prefix(count).map { Step(position: $0.key, isWanted: $0.value) }
    }

    private func scan(
        _ mention: AuditMention?, _ count: Int, before cursor: AuditPosition, in transaction: some Transaction
    ) throws -> [Step] {
        var parameters: [any SQLConvertible] = [chain, from, cursor.at, cursor.sequence, count]
        func place(_ value: some SQLConvertible) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        func has(_ mentions: [AuditMention]) -> String {
            """
            EXISTS (
                SELECT 1 FROM audit_mention AS other
                WHERE other.organization_id = $1 AND other.term IN (\(mentions.map { place($0.term) }.joined(separator: ", ")))
                  AND other.at = scanned.at AND other.sequence = scanned.sequence
            )
            """
        }
        let source = mention.map { "audit_mention WHERE organization_id = $1 AND term = \(place($0.term))" }
        let conditions = others.map(has) + (excluded.isEmpty ? [] : ["NOT " + has(excluded)])
        let wanted = conditions.isEmpty ? "1" : "CASE WHEN \(conditions.joined(separator: " AND ")) THEN 1 ELSE 0 END"
        return try transaction.all(
            """
            SELECT at, sequence, \(wanted) AS wanted
            FROM (
                SELECT at, sequence FROM \(source ?? "audit_entry WHERE organization_id = $1")
                  AND at >= $2 AND (at, sequence) < ($3, $4)
                ORDER BY at DESC, sequence DESC
                LIMIT $5
            ) AS scanned
            ORDER BY at DESC, sequence DESC
            """, parameters
        ) { row in
            Step(
                position: AuditPosition(at: try row["at"], sequence: try row["sequence"]),
                isWanted: try row["wanted"] as Int == 1)
        }
    }
}
