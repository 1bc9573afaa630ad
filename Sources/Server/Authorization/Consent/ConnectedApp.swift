import Directory
import Foundation
import Ground
import Storage

/// An app that an organization lets read about its people or classes, as shown to those who decide for the
/// organization.
package struct ConnectedApp: Sendable {
    package let consent: Consent
    package let app: App
    package let team: Team
    /// The primary client id of the app.
    package let clientID: String
    /// The full name of the person who allowed it.
    package let grantedBy: String
    /// When the app last read; nil if never.
    package let lastReadAt: Date?
    /// False if there is a consent, but the organization's rules do not allow the app at present.
    package let mayRead: Bool
    /// The last day that renewing the consent today would give it; nil if that is no later than now, or there is no
    /// end.
    package let renewedLastDay: CalendarDay?
}

extension ConnectedApp {
    /// The connected apps of an organization, sorted by name.
    package static func list(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [ConnectedApp] {
        try Consent.list(of: organization.id, in: transaction).filter { $0.isAlive(at: now) }
            .compactMap { try ConnectedApp($0, of: organization, at: now, in: transaction) }
            .sorted { ($0.app.name, $0.app.id.rawValue) < ($1.app.name, $1.app.id.rawValue) }
    }

    /// Nil if the app is not connected.
    package static func find(
        _ app: AppID, of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> ConnectedApp? {
        try Consent.living(app: app, organization: organization.id, at: now, in: transaction)
            .flatMap { try ConnectedApp($0, of: organization, at: now, in: transaction) }
    }

    /// Nil if the app has been removed, which ends its consents.
    private init?(
        _ consent: Consent, of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws {
        guard let app = try App.find(consent.appID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction)
        else { return nil }
        let clientIDs = try App.clientIDs(of: app.id, in: transaction)
        self.consent = consent
        self.app = app
        self.team = team
        clientID = clientIDs.first ?? ""
        grantedBy = try Person.find(consent.grantedBy, in: transaction)?.fullName ?? ""
        lastReadAt = try clientIDs.compactMap {
            try AuditRecord.lastRead(by: .client($0), of: organization.id, in: transaction)
        }.max()
        renewedLastDay = try consent.laterLastDay(at: now, in: transaction)
        mayRead = try DataSharingAccess.decide(app: app, organization: organization, in: transaction) == .allowed
    }
}

/// The changes that those who decide for an organization can make to its connected apps.
package struct ConnectedApps: Sendable {
    private let database: any Database
    private let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// Renews the organization's consent, for as long as its consents last.
    /// - Returns: false if the app is not connected, there is nothing to renew, or the person who is signed in does
    ///   not, or no longer, decide.
    package func renew(_ app: AppID, in session: BrowserSession, origin: Origin) async throws -> Bool {
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person,
                let organization = person.organizationID,
                try !person.rolesThatShareData(at: now, in: transaction).isEmpty,
                let consent = try Consent.living(app: app, organization: organization, at: now, in: transaction),
                let former = consent.lastDay, let lastDay = try consent.laterLastDay(at: now, in: transaction),
                try consent.put(lastDay: lastDay, in: transaction)
            else { return false }
            try AuditEntry(
                .consentRenewed, by: .person(person.id), on: "app:\(app.rawValue)", outcome: .done,
                detail: "last day \(former.text) → \(lastDay.text)", from: origin
            ).append(to: organization, at: now, in: transaction)
            return true
        }
    }

    /// Ends the organization's consent, as ``Consent/revoke(by:actor:from:at:surroundings:in:)`` does it.
    /// - Returns: false if the app is not connected, or the person who is signed in does not, or no longer, decide.
    package func stop(_ app: AppID, in session: BrowserSession, origin: Origin) async throws -> Bool {
        let (now, surroundings) = (surroundings.now(), surroundings)
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person,
                let organization = person.organizationID,
                try !person.rolesThatShareData(at: now, in: transaction).isEmpty,
                let consent = try Consent.living(app: app, organization: organization, at: now, in: transaction)
            else { return false }
            return try consent.revoke(
                by: person.id, actor: .person(person.id), from: origin, at: now, surroundings: surroundings,
                in: transaction)
        }
    }
}
