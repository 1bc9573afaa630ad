import Authorization
import Directory
import Foundation
import Storage

/// A consent of an organization to an app.
package struct AppConsent: OperationSubject {
    let consent: Consent
    let app: App
    let organization: Organization

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { "app:\(app.id.rawValue)" }

    /// A consent opens the whole roster, so the privilege must be for all of it.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) throws -> String? {
        try Consent.find(consent.id, in: transaction).map(ConsentRecord.version)
    }
}

extension AppReference {
    /// The consent that is alive.
    /// - Throws: ``OperationError/notFound(_:_:in:)``, also if it has ended.
    func findConsent(in context: OperationContext, _ transaction: some Transaction) throws -> AppConsent {
        let organization = try context.requiredOrganization(transaction)
        let app = try find(transaction)
        guard
            let consent = try Consent.living(
                app: app.id, organization: organization.id, at: context.now, in: transaction)
        else { throw OperationError.notFound(.consent, app.name, in: organization.name) }
        return AppConsent(consent: consent, app: app, organization: organization)
    }

    /// As ``findConsent(in:_:)``, for a change of how long the consent lasts: not in the test school, which nobody
    /// changes.
    func findConsentToLimit(in context: OperationContext, _ transaction: some Transaction) throws -> AppConsent {
        _ = try context.organizationToChange(transaction)
        return try findConsent(in: context, transaction)
    }
}

/// A consent, as administrators see it.
package struct ConsentRecord: Codable, Equatable, Sendable, Versioned {
    package let number: Int64
    package let app: String
    /// The number of `app:`.
    package let appNumber: Int64
    package let clientID: String
    package let scopes: [String]
    /// The user name of the person who gave it; nil for whoever may not read the organization's people.
    package let grantedBy: String?
    /// Whether that person is deactivated. The consent stays in force, because it is the organization's.
    package let isGiverDeactivated: Bool
    package let grantedAt: Date
    /// When the app last read, with this consent or a former one; nil if never.
    package let lastReadAt: Date?
    /// How many records of people and classes it has read in the last 30 days, today included. What it has read within
    /// the last minute can be missing.
    package let recordsRead: Int
    /// The last day on which the app may read; nil if there is no end.
    package let lastDay: CalendarDay?
    /// The last day that renewing it today would give it, unless another one is asked for; nil if it has ended.
    package let renewalLastDay: CalendarDay?
    /// Whether those who decide were asked by mail to renew it.
    package let isAnnounced: Bool
    /// The user name of the person who revoked it; nil if the operator did, the app was removed, or its last day is
    /// over.
    package let revokedBy: String?
    package let revokedAt: Date?
    /// Whether the consent ended because its last day was over.
    package let hasRunOut: Bool
    /// Why the app cannot read although the consent is in force; nil if it can.
    package let refusal: String?
    package let version: String
    /// The people of ``grantedBy`` and ``revokedBy``, for the audit trail; no part of the JSON.
    private(set) var people: [PersonID] = []

    private enum CodingKeys: String, CodingKey {
        case number, app, appNumber, clientID, scopes, grantedBy, isGiverDeactivated, grantedAt, lastReadAt
        case recordsRead, lastDay, renewalLastDay, isAnnounced, revokedBy, revokedAt, hasRunOut, refusal, version
    }

    init(_ given: AppConsent, in context: OperationContext, _ transaction: some Transaction) throws {
        let (app, organization) = (given.app, given.organization)
        let consent = try Consent.find(given.consent.id, in: transaction) ?? given.consent
        let namesPeople = context.authority.has(.readPeople, in: organization.id)
        let giver = try Person.find(consent.grantedBy, in: transaction)
        let revoker = try consent.revokedBy.flatMap { try Person.find($0, in: transaction) }
        let isAlive = consent.isAlive(at: context.now)
        number = consent.id.rawValue
        self.app = app.name
        appNumber = app.id.rawValue
        let clientIDs = try App.clientIDs(of: app.id, in: transaction)
        clientID = clientIDs.first ?? ""
        scopes = consent.scopes.text.split(separator: " ").map(String.init)
        grantedBy = namesPeople ? giver?.userName : nil
        isGiverDeactivated = giver?.state == .deactivated
        grantedAt = consent.grantedAt
        lastReadAt = try clientIDs.compactMap {
            try AuditRecord.lastRead(by: .client($0), of: organization.id, in: transaction)
        }.max()
        let today = CalendarDay(context.now)
        recordsRead = try ActivityDay.list(
            .recordsRead, of: organization.id, app: app.id.rawValue, from: today.adding(days: -29), to: today,
            in: transaction
        ).reduce(0) { $0 + $1.number }
        lastDay = consent.lastDay
        renewalLastDay = isAlive ? try consent.renewedLastDay(at: context.now, in: transaction) : nil
        isAnnounced = consent.reminders > 0
        revokedBy = namesPeople ? revoker?.userName : nil
        // A consent whose last day is over has ended, even if its row does not say so yet.
        revokedAt = consent.revokedAt ?? (isAlive ? nil : consent.lastDay?.adding(days: 1).date)
        hasRunOut = consent.hasRunOut || consent.revokedAt == nil && !isAlive
        if isAlive,
            case .refused(let reason) = try DataSharingAccess.decide(
                app: app, organization: organization, in: transaction)
        {
            refusal = reason.text
        } else {
            refusal = nil
        }
        version = Self.version(of: consent)
        people = namesPeople ? [giver, revoker].compactMap { $0?.id } : []
    }

    /// It leaves out whether mails about the consent's end were sent, since administrators decide nothing by that.
    static func version(of consent: Consent) -> String {
        let parts = [
            "\(consent.id.rawValue)", consent.scopes.text, consent.lastDay?.text ?? "",
            "\(consent.grantedAt.timeIntervalSince1970)", "\(consent.revokedAt?.timeIntervalSince1970 ?? 0)",
        ]
        return .version(of: parts.joined(separator: "\u{0}").utf8)
    }
}
