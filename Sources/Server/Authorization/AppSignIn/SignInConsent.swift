import Directory
import Foundation
import Ground
import Storage

/// What a person lets an app know about them when they sign in to it. It is asked once per app, for all its client ids.
/// There is at most one living consent for an app and a person; ended ones stay as history.
package struct SignInConsent: Equatable, Sendable {
    package let id: SignInConsentID
    package let appID: AppID
    package let personID: PersonID
    package let scopes: ScopeSet
    /// The name that the owner of a personal account has entered for this app; nil for the name in the directory.
    package let givenName: String?
    package let familyName: String?
    /// Whether the app gets a hidden address of its team, instead of the person's own.
    package let hidesEmail: Bool
    /// The request whose answer carries `user`.
    let requestHash: SecretHash
    package let grantedAt: Date
    package let revokedAt: Date?

    private static let columns =
        "id, app_id, person_id, scopes, given_name, family_name, hides_email, request_hash, granted_at, revoked_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        appID = try row["app_id"]
        personID = try row["person_id"]
        scopes = try row["scopes"]
        givenName = try row["given_name"]
        familyName = try row["family_name"]
        hidesEmail = try row["hides_email"]
        requestHash = try row["request_hash"]
        grantedAt = try row["granted_at"]
        revokedAt = try row["revoked_at"]
    }
}

package struct SignInConsentID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension SignInConsent {
    /// Records the consent, or extends the living one.
    package static func put(
        app: AppID, person: PersonID, scopes: ScopeSet, givenName: String?, familyName: String?, hidesEmail: Bool,
        request: SecretHash, at now: Date, in transaction: WriteTransaction
    ) throws -> SignInConsent {
        try transaction.first(
            """
            INSERT INTO sign_in_consent
                (app_id, person_id, scopes, given_name, family_name, hides_email, request_hash, granted_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (app_id, person_id) WHERE revoked_at IS NULL DO UPDATE SET
                scopes = EXCLUDED.scopes, given_name = EXCLUDED.given_name, family_name = EXCLUDED.family_name,
                hides_email = EXCLUDED.hides_email, request_hash = EXCLUDED.request_hash
            RETURNING \(columns)
            """,
            [app, person, scopes, givenName, familyName, hidesEmail, request, now], SignInConsent.init
        )!  // an insert that updates on conflict returns its row
    }

    package static func find(_ id: SignInConsentID, in transaction: some Transaction) throws -> SignInConsent? {
        try transaction.first("SELECT \(columns) FROM sign_in_consent WHERE id = $1", [id], SignInConsent.init)
    }

    package static func living(
        app: AppID, person: PersonID, in transaction: some Transaction
    ) throws -> SignInConsent? {
        try transaction.first(
            "SELECT \(columns) FROM sign_in_consent WHERE app_id = $1 AND person_id = $2 AND revoked_at IS NULL",
            [app, person], SignInConsent.init)
    }

    /// Whether there is a consent, living or ended.
    package static func existed(app: AppID, person: PersonID, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM sign_in_consent WHERE person_id = $2 AND app_id = $1", [app, person])
    }

    /// The apps to which the person has ever signed in, also if the consent has ended.
    package static func apps(everOf person: PersonID, in transaction: some Transaction) throws -> [AppID] {
        try transaction.all(
            "SELECT DISTINCT app_id FROM sign_in_consent WHERE person_id = $1 ORDER BY app_id", [person]
        ) { try $0[0] }
    }

    /// The living consents of a person, the latest first.
    package static func list(of person: PersonID, in transaction: some Transaction) throws -> [SignInConsent] {
        try transaction.all(
            "SELECT \(columns) FROM sign_in_consent WHERE person_id = $1 AND revoked_at IS NULL ORDER BY id DESC",
            [person], SignInConsent.init)
    }

    /// The living consents for an app.
    package static func list(livingOf app: AppID, in transaction: some Transaction) throws -> [SignInConsent] {
        try transaction.all(
            "SELECT \(columns) FROM sign_in_consent WHERE app_id = $1 AND revoked_at IS NULL ORDER BY id",
            [app], SignInConsent.init)
    }

    /// A batch of the living consents for an app, of the people of one organization, ordered by id.
    static func list(
        livingOf app: AppID, in organization: OrganizationID, after last: PersonID, limit: Int,
        in transaction: some Transaction
    ) throws -> [SignInConsent] {
        try transaction.all(
            """
            SELECT \(columns) FROM sign_in_consent
            WHERE app_id = $1 AND revoked_at IS NULL AND person_id > $3
              AND EXISTS (SELECT 1 FROM person WHERE id = sign_in_consent.person_id AND organization_id = $2)
            ORDER BY person_id
            LIMIT \(limit)
            """,
            [app, organization, last], SignInConsent.init)
    }

    /// Why a consent ends.
    package enum End: String, Sendable {
        /// The person stopped using the app.
        case person
        /// The app has revoked a token, so it need not be told.
        case app
        /// The organization removed the app from its list.
        case organization
        /// The app was removed from this server.
        case appRemoved = "app removed"
        /// The account was deleted.
        case accountDeleted = "account deleted"
        /// The account was deactivated, by hand or by an import.
        case accountDeactivated = "account deactivated"
        /// The organization was closed, and the account with it.
        case organizationClosed = "organization closed"
        /// The organization erased the record. ``ErasureNotice`` tells the apps, also those of ended consents.
        case recordErased = "record erased"
        /// The operator signed the person out of everything.
        case signedOut = "signed out of everything"
    }

    /// Ends the consent: from the next call on tokens are refused, and the next sign-in counts as the first one. Hidden
    /// addresses that the app has, or had from a former team, end with it unless another app has them. The app is told
    /// by a signed notification, queued in the same transaction.
    /// - Parameter telling: false if the app was told before.
    /// - Returns: false if it had ended before.
    @discardableResult
    package func end(
        _ end: End, telling: Bool = true, by actor: Actor, from origin: Origin, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Bool {
        let ended = try transaction.execute(
            "UPDATE sign_in_consent SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", [id, now])
        guard ended > 0 else { return false }
        try transaction.execute(
            "UPDATE access_grant SET revoked_at = $2 WHERE sign_in_consent_id = $1 AND revoked_at IS NULL", [id, now])
        if telling, end != .app, end != .recordErased {
            try OutgoingNotification.enqueue(
                end == .accountDeleted ? .accountDeleted : .consentRevoked, of: personID, to: appID, at: now,
                surroundings: surroundings, in: transaction)
        }
        let person = try Person.find(personID, in: transaction)
        try AuditEntry(
            .signInConsentEnded, by: actor, on: "person:\(personID.rawValue)", outcome: .done,
            detail: "app:\(appID.rawValue), \(end.rawValue)", from: origin
        ).append(to: person?.organizationID, at: now, in: transaction)
        // An earlier consent for the app may have hidden the address, even if this one does not.
        try endUnusedHiddenAddresses(by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
        return true
    }

    /// Ends each hidden address that the app has, or had from a former team, unless another app has it.
    package func endUnusedHiddenAddresses(
        by actor: Actor, from origin: Origin, at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        for hidden in try HiddenAddress.list(of: personID, for: appID, in: transaction)
        where try hidden.apps(in: transaction).isEmpty {
            // There is no app to tell: the app that had the address learns what it gets instead, or that the person has
            // left.
            try hidden.setForwarding(
                false, apps: [], by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
        }
    }
}
