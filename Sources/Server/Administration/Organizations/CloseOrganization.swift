import Authorization
import Directory
import Foundation
import Storage

/// Closes an organization: because a school ends, or moves to another server. From then on nobody of it signs in, no
/// app reads it, and nothing of it is changed. After some days all of it is erased, unless it is opened again before.
package struct CloseOrganization: ForeseenChange {
    package typealias Answer = OrganizationRecord

    package static let name = "organization.close"
    package static let summary = """
        Closes an organization: nobody of it signs in, no app reads it, and all is erased later. It needs the preview's \
        version.
        """
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.post, "close")
    package static let explanations = [
        "eraseAfterDays": "After how many days its people and all that it has are erased: 7 to 365, or 30."
    ]
    /// Undoing opens the organization again. Sign-ins and consents that have ended do not come back.
    package static let undo = UndoRule.possible
    package static let needsVersion = true
    /// Its team removes it, see ``RemoveSandbox``.
    package static let worksInSandboxes = false
    package static let locksRoster = true
    package static let locksSignIns = true

    package static let daysOfErasure = 7...365
    static let usualDays = 30

    package let eraseAfterDays: Int?

    package init(eraseAfterDays: Int? = nil) { self.eraseAfterDays = eraseAfterDays }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> WholeOrganization {
        try WholeOrganization(try context.organizationToChange(transaction), at: context.now, in: transaction)
    }

    package func foresee(
        on whole: WholeOrganization, in context: OperationContext, _ transaction: ReadTransaction
    ) throws -> [Effect] {
        try whole.effectsOfClosing(erasingOn: dayOfErasure(closedAt: context.now), in: transaction)
    }

    package func carryOut(on whole: WholeOrganization, _: Void, in act: Act) throws -> OrganizationRecord {
        try act.close(whole, erasingOn: dayOfErasure(closedAt: act.now))
        act.undo(by: ReopenOrganization())
        return try OrganizationRecord(whole.organization, at: act.now, in: act.transaction)
    }

    private func dayOfErasure(closedAt now: Date) throws -> CalendarDay {
        let days = eraseAfterDays ?? Self.usualDays
        guard Self.daysOfErasure.contains(days) else {
            throw OperationError.invalid(field: "eraseAfterDays", reason: "is not between 7 and 365")
        }
        return CalendarDay(now).adding(days: days)
    }

    /// Tells the apps to which people have signed in. A request does not wait for that, since there can be a hundred
    /// thousand people: the server does it within a minute. It is no job, because nobody of a closed organization could
    /// ask how far a job has come.
    package func followUp(on whole: WholeOrganization, _ followUp: FollowUp) async throws {
        guard !followUp.origin.isRequest else { return }
        try await followUp.tellOfDepartures()
    }
}

extension Act {
    /// Closes an organization, and records that with each app that reads nothing any more.
    /// - Parameters:
    ///   - closing: the closing that is done again after a copy of the database was put in place; nil for a new one.
    ///   - telling: false if all apps were told then.
    func close(
        _ whole: WholeOrganization, erasingOn erasesOn: CalendarDay, again closing: ClosingRecord? = nil,
        telling: Bool = true
    ) throws {
        let organization = whole.organization
        try record(
            .organizationClosed, on: organization, called: organization.name,
            (closing?.repetition ?? "") + whole.closingText(erasingOn: erasesOn))
        for consent in whole.consents {
            guard let app = try App.find(consent.appID, in: transaction),
                try consent.close(
                    by: context.authority.person, telling: telling, at: now, surroundings: surroundings,
                    in: transaction)
            else { continue }
            try record(
                .consentRevoked, on: AppConsent(consent: consent, app: app, organization: organization),
                called: app.name, WholeOrganization.endText(of: consent))
        }
        try organization.close(erasingOn: erasesOn, since: closing?.at, at: now, in: transaction)
        if !telling { try endDepartures(of: organization, telling: false) }
    }

    /// Ends what the people still have who have left.
    /// - Parameter telling: false if the apps were told before.
    func endDepartures(of organization: Organization, telling: Bool) throws {
        try EndedSignIns.endDepartures(
            of: organization.id, telling: telling, by: actor, from: origin, at: now, surroundings: surroundings,
            in: transaction)
    }
}

/// Opens an organization again that was closed. Nobody of it can ask for that, because nobody can sign in.
package struct ReopenOrganization: Change {
    package typealias Answer = OrganizationRecord

    package static let name = "organization.reopen"
    package static let summary = """
        Opens a closed organization again, before the day on which it is erased. What has ended does not come back: \
        people sign in anew, and apps need new consents.
        """
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "reopen")
    package static let explanations: [String: String] = [:]
    package static let undo = UndoRule.impossible(
        "It is closed again by organization.close, with a preview of its own.")
    package static let hasBulkForm = false
    package static let worksInClosedOrganizations = true

    package init() {}

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> WholeOrganization {
        try WholeOrganization(try context.organizationToChange(transaction), at: context.now, in: transaction)
    }

    package func carryOut(on whole: WholeOrganization, _: Void, in act: Act) throws -> OrganizationRecord {
        let organization = whole.organization
        guard let closing = organization.closing else {
            throw OperationError.refused("\(organization.name) is not closed.")
        }
        guard !organization.isSandbox else {
            throw OperationError.refused("A sandbox does not come back. Its team can make another.")
        }
        // From that day on the server erases one person after the other.
        guard CalendarDay(act.now) < closing.erasesOn else {
            throw OperationError.refused(
                "\(organization.name) is erased since \(closing.erasesOn.text), and cannot be opened again.")
        }
        // Telling the apps of a departure also ends what the person is signed in to: a new sign-in would end with it.
        guard try !Departure.isWaiting(for: organization.id, in: act.transaction) else {
            throw OperationError.refused(
                "Apps are still being told that \(organization.name) is closed. Try again in a minute.")
        }
        try organization.reopen(at: act.now, in: act.transaction)
        try act.record(
            .organizationReopened, on: organization, called: organization.name,
            "people sign in anew, and apps need new consents")
        return try OrganizationRecord(organization, at: act.now, in: act.transaction)
    }
}

/// An organization with all that it has, to be closed. Its people and classes are those that apps can see, as
/// ``CountedRecords`` counts them.
package struct WholeOrganization: OperationSubject {
    let organization: Organization
    let people: Int
    let classes: Int
    /// The consents that were not revoked.
    let consents: [Consent]

    /// - Parameter organization: is read anew, because it can have been closed in the transaction.
    init(_ organization: Organization, at now: Date, in transaction: some Transaction) throws {
        self.organization = try Organization.find(organization.id, in: transaction) ?? organization
        people = try Person.count(of: organization.id, in: transaction)
        classes = try RosterClass.count(of: organization.id, in: transaction)
        consents = try Consent.list(of: organization.id, in: transaction).filter { $0.revokedAt == nil }
    }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    fileprivate func closingText(erasingOn day: CalendarDay) -> String {
        "people \(people), classes \(classes), apps that read \(consents.count); erased from \(day.text) on"
    }

    fileprivate static func endText(of consent: Consent) -> String {
        "reads nothing any more, because the organization closes; was \(consent.scopes.text)"
    }

    /// What ``Act/close(_:erasingOn:again:telling:)`` would record.
    func effectsOfClosing(erasingOn day: CalendarDay, in transaction: some Transaction) throws -> [Effect] {
        let closed = Effect(
            .organizationClosed, on: organization, called: organization.name, closingText(erasingOn: day))
        return [closed]
            + (try consents.compactMap { consent -> Effect? in
                guard let app = try App.find(consent.appID, in: transaction) else { return nil }
                return Effect(
                    .consentRevoked, on: AppConsent(consent: consent, app: app, organization: organization),
                    called: app.name, Self.endText(of: consent))
            })
    }

    /// Open to Administrators of the whole organization, by their right to make others Administrators, and to the
    /// operator.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool {
        authority.makesAdministrators(of: organization.id, by: privilege)
    }

    /// Changes with what the preview shows.
    package func version(in transaction: some Transaction) throws -> String? {
        let parts = [
            try OrganizationSettings(organization, in: transaction).version, "\(people)", "\(classes)",
            consents.map { "\($0.id.rawValue)" }.joined(separator: " "),
            "\(organization.closing?.closedAt.timeIntervalSince1970 ?? 0)",
        ]
        return .version(of: parts.joined(separator: "\u{0}").utf8)
    }
}
