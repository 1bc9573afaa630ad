import Directory
import Foundation
import Storage

/// Which apps an organization lets its people sign in to, or read its people and classes. The rule is read on every
/// call, so that a change takes effect at once.
package struct AccessRule: Equatable, Sendable {
    package enum Purpose: String, Sendable, SQLConvertible, CaseIterable {
        /// A second gate besides the organization's consent.
        case dataSharing = "data_sharing"
        /// The first gate: an app to which nobody may sign in reads no roster either.
        case signIn = "sign_in"

        /// The word that people read and type; the database has underscores.
        package var word: String { rawValue.replacingOccurrences(of: "_", with: "-") }
    }

    package enum Mode: String, Sendable, SQLConvertible, CaseIterable, Codable {
        case allowAllApps = "allow_all_apps"
        case allowOnlyListedApps = "allow_only_listed_apps"
    }

    package let mode: Mode
    /// The number of changes so far. The log names it with each refusal.
    package let version: Int
    package let listed: [AppID]
    /// The team whose apps alone are allowed, whatever else the rule says. Nil unless the organization is its sandbox.
    package let sandboxTeam: TeamID?
}

extension AccessRule {
    /// The rule while an organization has not decided. Apps that read about all children have to be allowed one by one.
    /// An app that a person signs in to gets only that person's own data, and the operator has registered it.
    package static func initial(_ purpose: Purpose) -> AccessRule {
        AccessRule(mode: initialMode(purpose), version: 0, listed: [], sandboxTeam: nil)
    }

    private static func initialMode(_ purpose: Purpose) -> Mode {
        purpose == .signIn ? .allowAllApps : .allowOnlyListedApps
    }

    package func allows(_ app: App) -> Bool { mayList(app) && (mode == .allowAllApps || listed.contains(app.id)) }

    /// Whether the app can be on the list. A sandbox has no other apps than those of its team: the others would take its
    /// made-up people for real ones.
    package func mayList(_ app: App) -> Bool { sandboxTeam == nil || sandboxTeam == app.teamID }

    package static func find(
        _ purpose: Purpose, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> AccessRule {
        // Each row has the rule, if there is one, and one of the listed apps; there is one row without an app if none is
        // listed.
        let rows = try transaction.all(
            """
            SELECT access_rule.mode, access_rule.version, listed.app_id, organization.sandbox_team_id
            FROM organization
            LEFT JOIN access_rule
              ON access_rule.organization_id = organization.id AND access_rule.purpose = $2
            LEFT JOIN access_rule_app AS listed
              ON listed.organization_id = access_rule.organization_id AND listed.purpose = access_rule.purpose
            WHERE organization.id = $1
            ORDER BY listed.app_id
            """,
            [organization, purpose]
        ) { row in
            (
                mode: try row["mode"] as Mode?, version: try row["version"] as Int?, app: try row["app_id"] as AppID?,
                team: try row["sandbox_team_id"] as TeamID?
            )
        }
        guard let rule = rows.first else { return initial(purpose) }
        return AccessRule(
            mode: rule.mode ?? initialMode(purpose), version: rule.version ?? 0, listed: rows.compactMap(\.app),
            sandboxTeam: rule.team)
    }

    package enum Change: Sendable {
        case mode(Mode)
        case list(AppID)
        case unlist(AppID)
    }

    /// Changes the rule and writes the audit entry, in one transaction. After a change to which apps people may sign
    /// in, ``AccessRuleSweep`` signs them out of the others.
    package static func apply(
        _ change: Change, to organization: OrganizationID, purpose: Purpose, by actor: Actor,
        from origin: Origin, at now: Date, in transaction: WriteTransaction
    ) throws {
        let detail = try write(change, to: organization, purpose: purpose, in: transaction)
        try AuditEntry(
            .accessRuleChanged, by: actor, on: purpose.word, outcome: .done, detail: detail, from: origin
        ).append(to: organization, at: now, in: transaction)
    }

    /// The same without the audit entry.
    /// - Returns: its detail.
    package static func write(
        _ change: Change, to organization: OrganizationID, purpose: Purpose, in transaction: WriteTransaction
    ) throws -> String {
        try transaction.execute(
            """
            INSERT INTO access_rule (organization_id, purpose, mode, version) VALUES ($1, $2, $3, 1)
            ON CONFLICT (organization_id, purpose) DO UPDATE SET version = access_rule.version + 1
            """,
            [organization, purpose, initialMode(purpose)])
        switch change {
        case .mode(let mode):
            try transaction.execute(
                "UPDATE access_rule SET mode = $3 WHERE organization_id = $1 AND purpose = $2",
                [organization, purpose, mode])
            return "mode \(mode.rawValue)"
        case .list(let app):
            try transaction.execute(
                """
                INSERT INTO access_rule_app (organization_id, purpose, app_id) VALUES ($1, $2, $3)
                ON CONFLICT (organization_id, purpose, app_id) DO NOTHING
                """,
                [organization, purpose, app])
            return "listed app:\(app.rawValue)"
        case .unlist(let app):
            try transaction.execute(
                "DELETE FROM access_rule_app WHERE organization_id = $1 AND purpose = $2 AND app_id = $3",
                [organization, purpose, app])
            return "removed app:\(app.rawValue)"
        }
    }
}
