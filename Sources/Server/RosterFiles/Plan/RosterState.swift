import Directory
import Storage

/// A fingerprint of an organization's records: a few numbers that are cheap to compute and to compare.
///
/// A change by hand moves `modified_at` of the record, and for a role or a membership that of the person or class; so
/// the sums change with it. Imports are counted separately, because they may change what apps do not see, without
/// moving `modified_at`.
struct RosterState: Equatable {
    let parts: [String]
    /// Those of the parts that say what the whole organization has decided, and not what its records are.
    let settings: [String]
    /// Time of the last change of a record, in Unix seconds. A further change in the same second does not show.
    let lastChange: Int
    /// The number of accounts on the whole server and the newest id, and which former user names are kept, since user
    /// names are unique among all of them.
    private let accounts: [Int]

    init(of organization: Organization, in transaction: some Transaction) throws {
        var parts = [organization.publicID, organization.userNameFormatText]
        var lastChange = 0
        let imports = try transaction.first(
            """
            SELECT COALESCE(MAX(id), 0) AS last, COUNT(undone_at) AS undone FROM roster_import
            WHERE organization_id = $1
            """,
            [organization.id]
        ) { "\(try $0["last"] as Int) \(try $0["undone"] as Int)" }
        parts.append(imports ?? "")
        // A map moves no `modified_at`, as apps do not see these ids.
        let maps = try transaction.first(
            "SELECT COUNT(*) AS number, COUNT(undone_at) AS undone FROM id_map WHERE organization_id = $1",
            [organization.id]
        ) { "\(try $0["number"] as Int) \(try $0["undone"] as Int)" }
        parts.append(maps ?? "")
        let terms = try transaction.first(
            "SELECT COUNT(*) AS number, COUNT(closed_at) AS closed FROM term WHERE organization_id = $1",
            [organization.id]
        ) { "\(try $0["number"] as Int) \(try $0["closed"] as Int)" }
        parts.append(terms ?? "")
        settings = [organization.publicID, organization.userNameFormatText, maps ?? "", terms ?? ""]
        for table in ["location", "person", "course", "class"] {
            let state = try transaction.first(
                """
                SELECT COUNT(*) AS number, COALESCE(SUM(modified_at), 0) AS changes, COALESCE(MAX(id), 0) AS last,
                       COALESCE(MAX(modified_at), 0) AS changed_at
                FROM \(table)
                WHERE organization_id = $1
                """,
                [organization.id]
            ) { row in
                lastChange = max(lastChange, try row["changed_at"])
                return "\(try row["number"] as Int) \(try row["changes"] as Int) \(try row["last"] as Int)"
            }
            parts.append(state ?? "")
        }
        self.parts = parts
        self.lastChange = lastChange
        let people: [Int]? =
            try transaction.first("SELECT COUNT(*) AS number, COALESCE(MAX(id), 0) AS last FROM person") {
                [try $0["number"], try $0["last"]]
            }
        let kept: [Int]? =
            try transaction.first(
                "SELECT COUNT(*) AS number, COALESCE(SUM(kept_until), 0) AS ends FROM former_user_name"
            ) { [try $0["number"], try $0["ends"]] }
        accounts = (people ?? []) + (kept ?? [])
    }
}
