import Directory
import Foundation
import Ground
import Storage

extension Consent {
    /// Takes from the living consents to an app what the app may not ask for any more. It is taken for good: if the app
    /// may ask for it again later, the organization is asked again. A consent of which nothing is left ends.
    /// - Returns: how many consents have become less.
    @discardableResult
    package static func narrow(
        livingOf app: AppID, to scopes: ScopeSet, by actor: Actor, from origin: Origin, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Int {
        let wider = try list(livingOf: app, in: transaction).filter { !$0.scopes.isSubset(of: scopes) }
        for consent in wider {
            let left = consent.scopes.intersection(scopes)
            guard !left.isEmpty else {
                _ = try consent.revoke(
                    by: nil, actor: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
                continue
            }
            try transaction.execute("UPDATE consent SET scopes = $2 WHERE id = $1", [consent.id, left])
            try AuditEntry(
                .consentNarrowed, by: actor, on: "app:\(app.rawValue)", outcome: .done,
                detail: "\(consent.scopes.text) → \(left.text)", from: origin
            ).append(to: consent.organizationID, at: now, in: transaction)
        }
        return wider.count
    }
}
