import Directory
import Foundation
import Ground
import Storage

extension App {
    /// Takes the app off this server: from the next call on none of its client ids is known. Its living consents
    /// are revoked in the same transaction, whoever signs in to it is signed out, and the notifications of that are
    /// still delivered. The client ids stay the app's, so that nobody can take up a name that organizations have
    /// trusted.
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
