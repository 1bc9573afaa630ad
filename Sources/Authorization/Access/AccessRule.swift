import Directory
import Foundation
import Storage

/// Which apps an organization lets read its people and classes: a second gate besides consent, asked on every
/// call, so that a change acts at once.
package struct AccessRule: Equatable, Sendable {
    package enum Purpose: String, Sendable, SQLConvertible {
        case dataSharing = "data_sharing"
    }

    package enum Mode: String, Sendable, SQLConvertible, CaseIterable, Codable {
        case allowAllApps = "allow_all_apps"
        case allowOnlyListedApps = "allow_only_listed_apps"
    }

    package let mode: Mode
    /// Counts the changes; the log names it with each refusal.
    package let version: Int
    package let listed: [AppID]
}

extension AccessRule {
    /// What holds while an organization has not decided. Apps that read about children are let in one by one.
    package static let initial = AccessRule(mode: .allowOnlyListedApps, version: 0, listed: [])

    package static func find(
        _ purpose: Purpose = .dataSharing, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> AccessRule {
        guard
            let (mode, version) = try transaction.first(
                "SELECT mode, version FROM access_rule WHERE organization_id = $1 AND purpose = $2",
                [organization, purpose], { (try $0[0] as Mode, try $0[1] as Int) })
        else { return initial }
        let listed: [AppID] = try transaction.all(
            "SELECT app_id FROM access_rule_app WHERE organization_id = $1 AND purpose = $2 ORDER BY app_id",
            [organization, purpose]
        ) { try $0[0] }
        return AccessRule(mode: mode, version: version, listed: listed)
    }

    package enum Change: Sendable {
        case mode(Mode)
        case list(AppID)
        case unlist(AppID)
    }

    /// Changes the rule and writes the audit entry, in one transaction.
    package static func apply(
        _ change: Change, to organization: OrganizationID, purpose: Purpose = .dataSharing, by actor: Actor,
        from origin: Origin, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO access_rule (organization_id, purpose, mode, version) VALUES ($1, $2, $3, 1)
            ON CONFLICT (organization_id, purpose) DO UPDATE SET version = access_rule.version + 1
            """,
            [organization, purpose, initial.mode])
        let detail: String
        switch change {
        case .mode(let mode):
            try transaction.execute(
                "UPDATE access_rule SET mode = $3 WHERE organization_id = $1 AND purpose = $2",
                [organization, purpose, mode])
            detail = "mode \(mode.rawValue)"
        case .list(let app):
            try transaction.execute(
                """
                INSERT INTO access_rule_app (organization_id, purpose, app_id) VALUES ($1, $2, $3)
                ON CONFLICT (organization_id, purpose, app_id) DO NOTHING
                """,
                [organization, purpose, app])
            detail = "listed app:\(app.rawValue)"
        case .unlist(let app):
            try transaction.execute(
                "DELETE FROM access_rule_app WHERE organization_id = $1 AND purpose = $2 AND app_id = $3",
                [organization, purpose, app])
            detail = "removed app:\(app.rawValue)"
        }
        try AuditEntry(
            .accessRuleChanged, by: actor, on: purpose.rawValue, outcome: .done, detail: detail, from: origin
        ).append(to: organization, at: now, in: transaction)
    }
}
