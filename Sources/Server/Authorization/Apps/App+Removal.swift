import Directory
import Foundation
import Ground
import Storage

extension App {
    /// Removes the app from this server: from the next call on its client ids are unknown. In the same transaction its
    /// living consents are revoked and its people signed out; the notifications about that are still delivered. The
    /// client ids stay reserved, so that a name which organizations have trusted cannot be taken over.
    /// - Returns: the consents that were revoked; nil if the app was removed before.
    package func remove(
        by actor: Actor, from origin: Origin, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> [Consent]? {
        let removed = try transaction.execute(
            "UPDATE app SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL", [id, now])
        guard removed > 0 else { return nil }
        let living = try Consent.list(livingOf: id, in: transaction)
        for consent in living {
            _ = try consent.revoke(
                by: nil, actor: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
        }
        let users = try SignInConsent.list(livingOf: id, in: transaction)
        for consent in users {
            try consent.end(.appRemoved, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
        }
        try AuditEntry(
            .appRemoved, by: actor, on: "app:\(id.rawValue)", outcome: .done,
            detail: "\(living.count) consents revoked, \(users.count) people signed out", from: origin
        ).append(to: nil, at: now, in: transaction)
        return living
    }
}
