import Directory
import Foundation
import Storage

/// Keeps what is counted through the sharing rules of large organizations, so that no page has to count it.
package enum SharingCounts {
    /// How old a count becomes, in seconds.
    package static let maxAge: TimeInterval = 3_600

    /// Counts what was not counted yet, or not within ``maxAge``, with a transaction that only reads for each rules. It looks at
    /// the organizations alone that ``CountedRecords/countLarge(in:above:)``, which comes before it, has found to be large.
    package static func countLarge(
        in database: any Database, at now: Date, above atOnce: Int = CountedRecords.atOnce
    ) async throws {
        let due = try await database.read { transaction in
            try transaction.all(
                """
                SELECT r.app_id, r.organization_id FROM sharing_rules AS r
                LEFT JOIN sharing_count AS c ON c.rules_id = r.id
                WHERE (c.rules_id IS NULL OR c.counted_at <= $1) AND r.organization_id IN (
                    SELECT organization_id FROM people_count UNION SELECT organization_id FROM class_count
                )
                ORDER BY r.id
                """, [now.addingTimeInterval(-maxAge)]
            ) { (app: try $0["app_id"] as AppID, organization: try $0["organization_id"] as OrganizationID) }
        }
        for (app, organization) in due {
            let counted = try await database.read { transaction -> (SharingFilter, SharingCount)? in
                let sharing = try SharingFilter.find(for: app, of: organization, at: now, in: transaction)
                guard try sharing.isLongToCount(in: organization, atOnce: atOnce, transaction) else { return nil }
                return (sharing, try SharingCount(of: organization, through: sharing, at: now, in: transaction))
            }
            guard let (sharing, count) = counted else { continue }
            try await database.write { try count.keep(for: sharing, at: now, in: $0) }
        }
    }
}
