import Directory
import Foundation
import Storage

/// How many people sign in to an app. For an app of up to two thousand, see ``CountedRecords/atOnce``, they are counted each
/// time. For one of more it is the number of the last count, which the server makes once an hour.
package enum CountedSignIns {
    /// How old a count becomes, in seconds.
    package static let maxAge: TimeInterval = 3_600

    /// - Parameter organization: whose people are counted; nil for those of all, and personal accounts.
    package static func count(
        of app: AppID, in organization: OrganizationID? = nil, atOnce: Int = CountedRecords.atOnce,
        _ transaction: some Transaction
    ) throws -> Int {
        if try areMore(than: atOnce, of: app, transaction), let kept = try last(of: app, in: organization, transaction)
        {
            return kept
        }
        let living = "SELECT COUNT(*) FROM sign_in_consent AS c WHERE c.app_id = $1 AND c.revoked_at IS NULL"
        guard let organization else { return try transaction.first(living, [app]) { try $0[0] } ?? 0 }
        return try transaction.first(
            "\(living) AND EXISTS (SELECT 1 FROM person WHERE id = c.person_id AND organization_id = $2)",
            [app, organization]
        ) { try $0[0] } ?? 0
    }

    private static func areMore(than number: Int, of app: AppID, _ transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM sign_in_consent WHERE app_id = $1 AND revoked_at IS NULL ORDER BY person_id LIMIT 1 OFFSET $2
            """, [app, number])
    }

    /// The number of the last count; nil if there was none.
    private static func last(
        of app: AppID, in organization: OrganizationID?, _ transaction: some Transaction
    ) throws -> Int? {
        let counts = try transaction.all(
            "SELECT organization_id, number FROM sign_in_count WHERE app_id = $1", [app]
        ) { (organization: try $0["organization_id"] as OrganizationID, number: try $0["number"] as Int) }
        guard !counts.isEmpty else { return nil }
        return counts.filter { organization == nil || $0.organization == organization }.reduce(0) { $0 + $1.number }
    }

    /// Counts the people of each app that has more than are counted each time, and was not counted within ``maxAge``.
    package static func countLarge(
        in database: any Database, at now: Date, above atOnce: Int = CountedRecords.atOnce
    ) async throws {
        let due = try await database.read { transaction in
            try transaction.all(
                """
                SELECT id FROM app WHERE removed_at IS NULL AND EXISTS (
                    SELECT 1 FROM sign_in_consent WHERE app_id = app.id AND revoked_at IS NULL
                    ORDER BY person_id LIMIT 1 OFFSET $1
                ) AND NOT EXISTS (SELECT 1 FROM sign_in_count WHERE app_id = app.id AND counted_at > $2)
                ORDER BY id
                """, [atOnce, now.addingTimeInterval(-maxAge)]
            ) { try $0[0] as AppID }
        }
        for app in due {
            let counts = try await database.read { transaction in
                try transaction.all(
                    """
                    SELECT COALESCE(person.organization_id, 0) AS organization_id, COUNT(*) AS number
                    FROM sign_in_consent JOIN person ON person.id = sign_in_consent.person_id
                    WHERE sign_in_consent.app_id = $1 AND sign_in_consent.revoked_at IS NULL
                    GROUP BY COALESCE(person.organization_id, 0)
                    """, [app]
                ) { (organization: try $0["organization_id"] as OrganizationID, number: try $0["number"] as Int) }
            }
            try await database.write { transaction in
                try transaction.execute("DELETE FROM sign_in_count WHERE app_id = $1", [app])
                for count in counts {
                    try transaction.execute(
                        """
                        INSERT INTO sign_in_count (app_id, organization_id, number, counted_at) VALUES ($1, $2, $3, $4)
                        """, [app, count.organization, count.number, now])
                }
            }
        }
    }
}
