import Directory
import Foundation
import Ground
import Storage

extension App {
    /// Removes the app from this server: from the next call on its client ids are unknown. In the same transaction its
    /// living consents are revoked and its people signed out; the notifications about that are still delivered. The
    /// client ids stay reserved, so that a name which organizations have trusted cannot be taken over. The caller
    /// writes into the audit trail that the app was removed and its consents revoked.
    /// - Returns: what has ended; nil if the app was removed before.
    package func remove(
        by actor: Actor, from origin: Origin, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Removal? {
        let removed = try transaction.execute(
            "UPDATE app SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL", [id, now])
        guard removed > 0 else { return nil }
        let living = try Consent.list(livingOf: id, in: transaction)
        for consent in living {
            _ = try consent.close(by: nil, at: now, surroundings: surroundings, in: transaction)
        }
        let users = try SignInConsent.list(livingOf: id, in: transaction)
        for consent in users {
            try consent.end(.appRemoved, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
        }
        try AppOffer.delete(id, in: transaction)
        return Removal(revokedConsents: living, people: users.count)
    }

    /// What has ended with an app.
    package struct Removal: Sendable {
        package let revokedConsents: [Consent]
        /// How many people were signed out of it.
        package let people: Int
    }
}
