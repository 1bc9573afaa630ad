import Directory
import Foundation
import Ground
import Storage

/// What an organization lets an app read. It belongs to the organization, not to the person who pressed Allow. There is
/// at most one living consent for an app and an organization; revoked ones stay as history.
package struct Consent: Equatable, Sendable {
    package let id: ConsentID
    package let appID: AppID
    package let organizationID: OrganizationID
    package let scopes: ScopeSet
    package let grantedBy: PersonID
    package let grantedAt: Date
    /// Who revoked the consent; nil if the operator did, or the app was removed.
    package let revokedBy: PersonID?
    package let revokedAt: Date?

    private static let columns =
        "id, app_id, organization_id, scopes, granted_by, granted_at, revoked_by, revoked_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        appID = try row["app_id"]
        organizationID = try row["organization_id"]
        scopes = try row["scopes"]
        grantedBy = try row["granted_by"]
        grantedAt = try row["granted_at"]
        revokedBy = try row["revoked_by"]
        revokedAt = try row["revoked_at"]
    }
}

package struct ConsentID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension Consent {
    /// Records the consent, or replaces the scopes and the giver of the living one. Tokens that were issued before keep
    /// working, with the scopes that both have.
    static func put(
        app: AppID, organization: OrganizationID, scopes: ScopeSet, by person: PersonID, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Consent {
        try transaction.first(
            """
            INSERT INTO consent (app_id, organization_id, scopes, granted_by, granted_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (app_id, organization_id) WHERE revoked_at IS NULL DO UPDATE SET
                scopes = EXCLUDED.scopes, granted_by = EXCLUDED.granted_by, granted_at = EXCLUDED.granted_at
            RETURNING \(columns)
            """,
            [app, organization, scopes, person, now], Consent.init
        )!  // an insert that updates on conflict returns its row
    }

    package static func find(_ id: ConsentID, in transaction: some Transaction) throws -> Consent? {
        try transaction.first("SELECT \(columns) FROM consent WHERE id = $1", [id], Consent.init)
    }

    package static func living(
        app: AppID, organization: OrganizationID, in transaction: some Transaction
    ) throws -> Consent? {
        try transaction.first(
            "SELECT \(columns) FROM consent WHERE app_id = $1 AND organization_id = $2 AND revoked_at IS NULL",
            [app, organization], Consent.init)
    }

    /// The whole history of an organization, oldest first.
    package static func list(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> [Consent] {
        try transaction.all(
            "SELECT \(columns) FROM consent WHERE organization_id = $1 ORDER BY id", [organization], Consent.init)
    }

    package static func list(livingOf app: AppID, in transaction: some Transaction) throws -> [Consent] {
        try transaction.all(
            "SELECT \(columns) FROM consent WHERE app_id = $1 AND revoked_at IS NULL ORDER BY id", [app], Consent.init)
    }

    /// Ends the consent: from the next call on tokens are refused. The app is told by a signed notification,
    /// queued in the same transaction.
    /// - Parameter person: who revoked it; nil if the operator did, or the app was removed or handed over to another
    ///   team.
    /// - Returns: false if it was revoked before.
    package func revoke(
        by person: PersonID?, actor: Actor, from origin: Origin, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Bool {
        let revoked = try transaction.execute(
            "UPDATE consent SET revoked_at = $2, revoked_by = $3 WHERE id = $1 AND revoked_at IS NULL",
            [id, now, person])
        guard revoked > 0 else { return false }
        try transaction.execute(
            "UPDATE access_grant SET revoked_at = $2 WHERE consent_id = $1 AND revoked_at IS NULL", [id, now])
        try OutgoingNotification.enqueueConsentRevoked(
            self, by: person ?? grantedBy, at: now, surroundings: surroundings, in: transaction)
        try AuditEntry(
            .consentRevoked, by: actor, on: "app:\(appID.rawValue)", outcome: .done, detail: scopes.text, from: origin
        ).append(to: organizationID, at: now, in: transaction)
        return true
    }
}
