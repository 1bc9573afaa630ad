import Directory
import Foundation
import Storage

/// The sharing rules of organizations for apps, as the database has them. They are read on every call of an app, so
/// that a change takes effect at once.
extension SharingRules {
    /// The apps for which an organization limits something.
    package static func apps(
        limitedBy organization: OrganizationID, in transaction: some Transaction
    ) throws -> [AppID] {
        try transaction.all(
            "SELECT app_id FROM sharing_rules WHERE organization_id = $1 ORDER BY app_id", [organization]
        ) { try $0[0] }
    }

    /// The apps that are not to see one person, and may see the other.
    package static func apps(
        leavingOut person: PersonID, butNot other: PersonID, in transaction: some Transaction
    ) throws -> [AppID] {
        try transaction.all(
            """
            SELECT app_id FROM sharing_rules
            WHERE id IN (SELECT rules_id FROM sharing_left_out WHERE person_id = $1)
              AND id NOT IN (SELECT rules_id FROM sharing_left_out WHERE person_id = $2)
            ORDER BY app_id
            """, [person, other]
        ) { try $0[0] }
    }

    /// The rules that an organization has for an app; ``none`` if it has none.
    package static func find(
        for app: AppID, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> SharingRules {
        let header = try transaction.first(
            """
            SELECT id, limits_locations, limits_grades, limits_classes, roles, withheld FROM sharing_rules
            WHERE organization_id = $1 AND app_id = $2
            """, [organization, app]
        ) { row in
            (
                id: try row["id"] as Int64, locations: try row["limits_locations"] as Bool,
                grades: try row["limits_grades"] as Bool, classes: try row["limits_classes"] as Bool,
                roles: try row["roles"] as String?, withheld: try row["withheld"] as String
            )
        }
        guard let header else { return .none }
        func values<Value: SQLConvertible & Hashable>(
            _ column: String, _ table: String
        ) throws -> Set<Value> {
            Set(try transaction.all("SELECT \(column) FROM \(table) WHERE rules_id = $1", [header.id]) { try $0[0] })
        }
        return SharingRules(
            locations: header.locations ? try values("location_id", "sharing_location") : nil,
            grades: header.grades ? try values("grade", "sharing_grade") : nil,
            roles: header.roles.map { words($0) },
            classes: header.classes ? try values("class_id", "sharing_class") : nil,
            withheld: words(header.withheld), leftOut: try values("person_id", "sharing_left_out"))
    }

    /// Stores the rules in place of those that there were.
    package func put(
        for app: AppID, of organization: OrganizationID, at now: Date, in transaction: WriteTransaction
    ) throws {
        let id: Int64 = try transaction.first(
            """
            INSERT INTO sharing_rules
                (organization_id, app_id, limits_locations, limits_grades, limits_classes, roles, withheld, changed_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (organization_id, app_id) DO UPDATE SET
                limits_locations = EXCLUDED.limits_locations, limits_grades = EXCLUDED.limits_grades,
                limits_classes = EXCLUDED.limits_classes, roles = EXCLUDED.roles, withheld = EXCLUDED.withheld,
                changed_at = EXCLUDED.changed_at
            RETURNING id
            """,
            [
                organization, app, locations != nil, grades != nil, classes != nil, roles.map { Self.text($0) },
                Self.text(withheld), now,
            ]
        ) { try $0["id"] }!  // an insert that updates on conflict returns its row
        // It counts what the former rules let through.
        try transaction.execute("DELETE FROM sharing_count WHERE rules_id = $1", [id])
        func replace(_ table: String, _ column: String, _ values: [any SQLConvertible]) throws {
            try transaction.execute("DELETE FROM \(table) WHERE rules_id = $1", [id])
            for value in values {
                try transaction.execute("INSERT INTO \(table) (rules_id, \(column)) VALUES ($1, $2)", [id, value])
            }
        }
        try replace("sharing_location", "location_id", Array(locations ?? []))
        try replace("sharing_grade", "grade", Array(grades ?? []))
        try replace("sharing_class", "class_id", Array(classes ?? []))
        try replace("sharing_left_out", "person_id", Array(leftOut))
    }

    private static func text<Word: RawRepresentable<String>>(_ words: Set<Word>) -> String {
        words.map(\.rawValue).sorted().joined(separator: " ")
    }

    fileprivate static func words<Word: RawRepresentable<String> & Hashable>(_ text: String) -> Set<Word> {
        Set(text.split(separator: " ").compactMap { Word(rawValue: String($0)) })
    }
}

extension SharingFilter {
    /// The rules as queries ask them; ``everything`` if the organization has none for the app.
    package static func find(
        for app: AppID, of organization: OrganizationID, at now: Date, in transaction: some Transaction
    ) throws -> SharingFilter {
        try transaction.first(
            """
            SELECT id, limits_locations, limits_grades, limits_classes, roles, withheld, changed_at,
                   EXISTS (SELECT 1 FROM sharing_left_out WHERE rules_id = sharing_rules.id) AS leaves_out
            FROM sharing_rules WHERE organization_id = $1 AND app_id = $2
            """, [organization, app]
        ) { row in
            let roles: String? = try row["roles"]
            let withheld: String = try row["withheld"]
            return SharingFilter(
                rules: try row["id"], limitsLocations: try row["limits_locations"],
                limitsGrades: try row["limits_grades"], limitsClasses: try row["limits_classes"],
                leavesOut: try row["leaves_out"], roles: roles.map { SharingRules.words($0) },
                withheld: SharingRules.words(withheld), changedAt: try row["changed_at"], at: now)
        } ?? .everything
    }
}
