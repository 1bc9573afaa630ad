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
    /// The last day on which the app may read; nil if the consent has no end.
    package let lastDay: CalendarDay?
    /// How many mails have asked to renew it before this last day.
    package let reminders: Int

    static let columns =
        "id, app_id, organization_id, scopes, granted_by, granted_at, revoked_by, revoked_at, last_day, reminders"

    init(_ row: Row) throws {
        id = try row["id"]
        appID = try row["app_id"]
        organizationID = try row["organization_id"]
        scopes = try row["scopes"]
        grantedBy = try row["granted_by"]
        grantedAt = try row["granted_at"]
        revokedBy = try row["revoked_by"]
        revokedAt = try row["revoked_at"]
        lastDay = try row["last_day"]
        reminders = try row["reminders"]
    }

    /// Whether the app may read by it. A consent whose last day is over counts no more, even before ``ConsentEnds`` has
    /// written that down.
    package func isAlive(at now: Date) -> Bool { revokedAt == nil && lastDay?.isOver(at: now) != true }

    /// Whether the consent ended because its last day was over, and not because somebody revoked it.
    package var hasRunOut: Bool { revokedAt.map { lastDay?.isOver(at: $0) == true } ?? false }
}

package struct ConsentID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension Consent {
    /// Records the consent, or replaces the scopes, the giver and the last day of the living one. Tokens that were
    /// issued before keep working, with the scopes that both have.
    static func put(
        app: AppID, organization: OrganizationID, scopes: ScopeSet, lastDay: CalendarDay?, by person: PersonID,
        at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Consent {
        // A consent whose last day is over is ended first: otherwise its tokens would count again with the new last
        // day.
        try unrevoked(app: app, organization: organization, in: transaction)?
            .endIfOver(at: now, surroundings: surroundings, in: transaction)
        return try transaction.first(
            """
            INSERT INTO consent (app_id, organization_id, scopes, granted_by, granted_at, last_day)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (app_id, organization_id) WHERE revoked_at IS NULL DO UPDATE SET
                scopes = EXCLUDED.scopes, granted_by = EXCLUDED.granted_by, granted_at = EXCLUDED.granted_at,
                last_day = EXCLUDED.last_day, reminders = 0
            RETURNING \(columns)
            """,
            [app, organization, scopes, person, now, lastDay], Consent.init
        )!  // an insert that updates on conflict returns its row
    }

    package static func find(_ id: ConsentID, in transaction: some Transaction) throws -> Consent? {
        try transaction.first("SELECT \(columns) FROM consent WHERE id = $1", [id], Consent.init)
    }

    package static func living(
        app: AppID, organization: OrganizationID, at now: Date, in transaction: some Transaction
    ) throws -> Consent? {
        try unrevoked(app: app, organization: organization, in: transaction).flatMap { $0.isAlive(at: now) ? $0 : nil }
    }

    private static func unrevoked(
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

    /// The consents for an app that are not revoked, those included whose last day is over.
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
        guard try close(by: person, at: now, surroundings: surroundings, in: transaction) else { return false }
        try AuditEntry(
            .consentRevoked, by: actor, on: "app:\(appID.rawValue)", outcome: .done, detail: scopes.text, from: origin
        ).append(to: organizationID, at: now, in: transaction)
        return true
    }

    /// As ``revoke(by:actor:from:at:surroundings:in:)``, without an entry in the audit trail, which the caller writes.
    /// - Parameter telling: false if the app was told before.
    package func close(
        by person: PersonID?, telling: Bool = true, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Bool {
        let revoked = try transaction.execute(
            "UPDATE consent SET revoked_at = $2, revoked_by = $3 WHERE id = $1 AND revoked_at IS NULL",
            [id, now, person])
        guard revoked > 0 else { return false }
        try transaction.execute(
            "UPDATE access_grant SET revoked_at = $2 WHERE consent_id = $1 AND revoked_at IS NULL", [id, now])
        if telling {
            try OutgoingNotification.enqueueConsentRevoked(
                self, by: person ?? grantedBy, at: now, surroundings: surroundings, in: transaction)
        }
        return true
    }

    /// Ends the consent if its last day is over, as revoking would. It must have been read in this transaction.
    @discardableResult
    func endIfOver(
        at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Bool {
        guard let lastDay, lastDay.isOver(at: now),
            try close(by: nil, at: now, surroundings: surroundings, in: transaction)
        else { return false }
        try AuditEntry(
            .consentEnded, by: .system, on: "app:\(appID.rawValue)", outcome: .done,
            detail: "\(scopes.text); last day \(lastDay.text)", from: .system
        ).append(to: organizationID, at: now, in: transaction)
        return true
    }
}
