import Directory
import Foundation
import Storage

/// Numbers that stand on pages and take long to count in a large organization, as the server has counted them last: every
/// ten minutes. An organization that is not large has none, because there they are counted each time.
struct KeptNumbers: Codable, Equatable, Sendable {
    /// The dates that are found by looking at many people, see ``DueDate/counted(of:at:in:)``.
    private(set) var dates: [DueDate]
    /// What is due by each rule, by its kind and days.
    private var retention: [String: Int]
    /// How many people the tickets of each realm sign in, by its version.
    private var realms: [String: KerberosRealm.Reach]
    /// How many classes of each term apps see, by its number.
    private let terms: [String: Int]

    /// Counts them now.
    init(of organization: Organization, at now: Date, in transaction: some Transaction) throws {
        dates = try DueDate.counted(of: organization, at: now, in: transaction)
        retention = [:]
        for rule in try RetentionRule.list(of: organization.id, in: transaction) {
            retention[Self.key(rule.kind, rule.days)] = try RetentionRecord.count(
                rule.kind, days: rule.days, in: organization, at: now, transaction)
        }
        realms = [:]
        for realm in try KerberosRealm.list(of: organization.id, in: transaction) {
            realms[realm.version] = try realm.reach(in: organization.id, transaction)
        }
        terms = Dictionary(
            uniqueKeysWithValues: try Term.list(of: organization.id, in: transaction).map {
                (Self.key($0), try $0.livingClasses(in: transaction))
            })
    }

    private static func key(_ kind: RetentionRule.Kind, _ days: Int) -> String { "\(kind.rawValue) \(days)" }

    private static func key(_ term: Term) -> String { "\(term.id.rawValue)" }

    func due(_ kind: RetentionRule.Kind, days: Int) -> Int? { retention[Self.key(kind, days)] }

    func reach(of realm: KerberosRealm) -> KerberosRealm.Reach? { realms[realm.version] }

    mutating func set(_ due: Int, _ kind: RetentionRule.Kind, days: Int) { retention[Self.key(kind, days)] = due }

    mutating func set(_ reach: KerberosRealm.Reach, of realm: KerberosRealm) { realms[realm.version] = reach }
}

extension KeptNumbers {
    /// Nil for an organization that is not large, or was not found to be yet, and for what another version of Lanyard has
    /// counted: within ten minutes it is counted anew.
    static func find(of organization: OrganizationID, in transaction: some Transaction) throws -> KeptNumbers? {
        try read(KeptNumbers.self, of: organization, in: transaction)
    }

    /// What is kept of the terms. There are dozens of dates beside it, which take longer to decode than a page of one term.
    private struct Terms: Decodable {
        let terms: [String: Int]
    }

    private static func read<Part: Decodable>(
        _ part: Part.Type, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Part? {
        let text = try transaction.first(
            "SELECT numbers FROM kept_numbers WHERE organization_id = $1", [organization]
        ) { try $0[0] as String }
        return text.flatMap { try? JSONDecoder().decode(part, from: Data($0.utf8)) }
    }

    /// How many of a term's classes apps see: counted now up to two thousand, and beyond as the server has counted them last.
    static func livingClasses(of term: Term, in transaction: some Transaction) throws -> Int {
        let counted = try term.livingClasses(limit: CountedRecords.atOnce + 1, in: transaction)
        guard counted > CountedRecords.atOnce else { return counted }
        let kept = try read(Terms.self, of: term.organizationID, in: transaction)?.terms[key(term)]
        return try kept ?? term.livingClasses(in: transaction)
    }

    /// Notes a number that was counted with a change of what it is about, so that no page has to count it until the server
    /// does.
    static func note(
        of organization: OrganizationID, in transaction: WriteTransaction, _ change: (inout KeptNumbers) -> Void
    ) throws {
        guard var numbers = try find(of: organization, in: transaction) else { return }
        change(&numbers)
        try transaction.execute(
            "UPDATE kept_numbers SET numbers = $2 WHERE organization_id = $1", [organization, try numbers.text])
    }

    private var text: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    fileprivate func keep(for organization: OrganizationID, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO kept_numbers (organization_id, numbers, counted_at) VALUES ($1, $2, $3)
            ON CONFLICT (organization_id) DO UPDATE
            SET numbers = EXCLUDED.numbers, counted_at = EXCLUDED.counted_at
            """, [organization, try text, now])
    }
}

/// Counts what pages of large organizations show.
package enum NumberKeeper {
    /// How old a count becomes, in seconds.
    package static let maxAge: TimeInterval = 600

    /// Counts what was not counted within ten minutes, with a transaction that only reads for each organization. It looks at
    /// the organizations alone that ``CountedRecords/countLarge(in:above:)``, which comes before it, has found to be large.
    package static func countLarge(
        in database: any Database, at now: Date, above atOnce: Int = CountedRecords.atOnce
    ) async throws {
        let (due, small) = try await database.read { transaction -> ([OrganizationID], [OrganizationID]) in
            let found = try transaction.all(
                """
                SELECT p.organization_id AS id, k.counted_at FROM people_count AS p
                LEFT JOIN kept_numbers AS k ON k.organization_id = p.organization_id
                WHERE k.counted_at IS NULL OR k.counted_at <= $1
                ORDER BY p.organization_id
                """, [now.addingTimeInterval(-maxAge)]
            ) { (id: try $0["id"] as OrganizationID, isKept: (try $0["counted_at"] as Int?) != nil) }
            let large = Set(
                try found.map(\.id).filter {
                    try CountedRecords.people.areMore(than: atOnce, in: $0, transaction)
                })
            return (
                found.map(\.id).filter(large.contains),
                found.filter { $0.isKept && !large.contains($0.id) }.map(\.id)
            )
        }
        for id in due {
            let numbers = try await database.read { transaction in
                try Organization.find(id, in: transaction).map {
                    try KeptNumbers(of: $0, at: now, in: transaction)
                }
            }
            guard let numbers else { continue }
            try await database.write { try numbers.keep(for: id, at: now, in: $0) }
        }
        guard !small.isEmpty else { return }
        try await database.write { transaction in
            for id in small {
                try transaction.execute("DELETE FROM kept_numbers WHERE organization_id = $1", [id])
            }
        }
    }
}
