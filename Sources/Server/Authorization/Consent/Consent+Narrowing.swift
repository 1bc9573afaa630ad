import Directory
import Foundation
import Ground
import Storage

extension Consent {
    /// A consent from which scopes were taken.
    package struct Narrowed: Sendable {
        /// The consent as it was before.
        package let consent: Consent
        /// The scopes that are left; empty if the consent has ended.
        package let left: ScopeSet
    }

    /// Takes from the living consents to an app what the app may not ask for any more. It is taken for good: if the app
    /// may ask for it again later, the organization is asked again. A consent of which nothing is left ends. The caller
    /// writes the audit trail.
    package static func narrow(
        livingOf app: AppID, to scopes: ScopeSet, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> [Narrowed] {
        try list(livingOf: app, in: transaction).filter { !$0.scopes.isSubset(of: scopes) }.map { consent in
            let left = consent.scopes.intersection(scopes)
            if left.isEmpty {
                _ = try consent.close(by: nil, at: now, surroundings: surroundings, in: transaction)
            } else {
                try transaction.execute("UPDATE consent SET scopes = $2 WHERE id = $1", [consent.id, left])
            }
            return Narrowed(consent: consent, left: left)
        }
    }
}
