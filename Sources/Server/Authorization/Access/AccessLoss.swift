import Directory
import Foundation
import Storage

/// What would be lost by a change of the rules, or by the end of a consent: people's sign-ins to an app, and the app's
/// roster access.
package struct AccessLoss: Sendable {
    package let app: App
    /// How many people use the app and would be signed out of it, as ``CountedSignIns`` counts them.
    package let signIns: Int
    /// Whether the app can read the organization's roster now.
    package let readsRoster: Bool

    package init(app: App, signIns: Int, readsRoster: Bool) {
        self.app = app
        self.signIns = signIns
        self.readsRoster = readsRoster
    }

    package var isNothing: Bool { signIns == 0 && !readsRoster }
}

extension AccessLoss {
    /// The losses of each app that is allowed something now and would not be after the change.
    package static func find(
        of change: AccessRule.Change, to organization: Organization, purpose: AccessRule.Purpose,
        at now: Date, in transaction: some Transaction
    ) throws -> [AccessLoss] {
        let rule = try AccessRule.find(purpose, of: organization.id, in: transaction)
        let changed = rule.applying(change)
        return try App.list(in: transaction).filter { rule.allows($0) && !changed.allows($0) }.map { app in
            AccessLoss(
                app: app,
                signIns: purpose == .signIn
                    ? try CountedSignIns.count(of: app.id, in: organization.id, transaction) : 0,
                readsRoster: try reads(app, organization, at: now, in: transaction))
        }.filter { !$0.isNothing }
    }

    private static func reads(
        _ app: App, _ organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        try DataSharingAccess.decide(app: app, organization: organization, in: transaction) == .allowed
            && Consent.living(app: app.id, organization: organization.id, at: now, in: transaction) != nil
    }
}

extension AccessRule {
    /// The rule as it is after the change.
    func applying(_ change: Change) -> AccessRule {
        let (mode, listed) =
            switch change {
            case .mode(let mode): (mode, listed)
            case .list(let app): (mode, listed.filter { $0 != app } + [app])
            case .unlist(let app): (mode, listed.filter { $0 != app })
            }
        return AccessRule(mode: mode, version: version + 1, listed: listed, sandboxTeam: sandboxTeam)
    }
}
