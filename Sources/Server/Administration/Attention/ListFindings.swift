import Authorization
import Directory
import Foundation
import Mail
import Storage

/// Lists what is wrong in an organization now. What is due on a day is another list, see ``ListDueDates``.
package struct ListFindings: Inquiry {
    package static let name = "finding.list"
    package static let summary = """
        Lists what is wrong now: locked accounts, second factors that are missing, folders that were not imported, apps \
        that take no messages, may not read or have no key, consents of people who have left, mail that does not arrive, and \
        what is wrong with the server itself, for Administrators. Each is told to whoever may mend it, of people also to \
        whoever may at a part of the organization.
        """
    /// Everybody who may mend a finding has this privilege. Each finding is told to those alone who have its own, ``Finding/Kind/privilege``.
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "findings")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let findings: [Finding]
    }

    package init() {}

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Listing {
        Listing(organization: try context.requiredOrganization(transaction))
    }

    package func answer(
        about subject: Listing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let authority = context.authority
        let organization = try subject.organization ?? context.requiredOrganization(transaction)
        // What is of the whole organization is looked for only if it may be told.
        func whole(_ kinds: Finding.Kind..., find: () throws -> [Finding]) rethrows -> [Finding] {
            guard kinds.contains(where: { authority.has($0.privilege, in: organization.id) }) else { return [] }
            return try find().filter { authority.has($0.kind.privilege, in: organization.id) }
        }
        return Answer(
            findings: try Finding.server(context, of: organization)
                + whole(.pickUpFailed) { try Finding.pickUps(of: organization, in: transaction) }
                + whole(.factorsAreMissing) {
                    try Finding.factors(of: organization, at: context.now, in: transaction)
                }
                + whole(.appIsUnreached, .appIsFailing, .appIsRefused, .appHasNoKey, .consentIsOrphaned) {
                    try Finding.apps(of: organization, at: context.now, in: transaction)
                }
                + Finding.mail(of: organization, for: authority, in: transaction)
                + Finding.lockedAccounts(of: organization, for: authority, in: transaction))
    }

    package static func people(in answer: Answer) -> [PersonID]? {
        let people = answer.findings.compactMap(\.person).map(PersonID.init(rawValue:))
        return people.isEmpty ? nil : people
    }
}

extension Finding {
    /// What is wrong with the server, for Administrators of the whole organization: they have somebody run it, or do it
    /// themselves. In a sandbox they are anybody.
    fileprivate static func server(_ context: OperationContext, of organization: Organization) -> [Finding] {
        let kind = Kind.serverNeedsOperator
        guard !organization.isSandbox,
            context.authority.makesAdministrators(of: organization.id, by: kind.privilege)
        else { return [] }
        return context.services.condition.troubles.map { trouble in
            var finding = Finding(kind)
            finding.trouble = trouble
            return finding
        }
    }

    /// Those whom the caller may unlock.
    fileprivate static func lockedAccounts(
        of organization: Organization, for authority: Authority, in transaction: some Transaction
    ) throws -> [Finding] {
        let privilege = Kind.accountsAreLocked.privilege
        guard authority.has(privilege) else { return [] }
        let count: Int
        if let reach = authority.reach(of: privilege) {
            let filter = PersonFilter(state: .locked, within: reach)
            count = try Person.page(
                of: organization.id, matching: filter, limit: lockedMax + 1, in: transaction
            ).count { try $0.isOpen(to: authority, for: privilege, in: transaction) }
        } else {
            count = try Person.countLocked(of: organization.id, limit: lockedMax + 1, in: transaction)
        }
        guard count > 0 else { return [] }
        var finding = Finding(.accountsAreLocked)
        finding.count = count
        return [finding]
    }

    fileprivate static func factors(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [Finding] {
        let rule = try FactorRule.find(of: organization.id, in: transaction)
        guard let since = rule.since else { return [] }
        let count = try rule.countMissing(in: organization.id, at: now, transaction)
        guard count > 0 else { return [] }
        var finding = Finding(.factorsAreMissing)
        finding.count = count
        finding.on = CalendarDay(since).adding(days: rule.graceDays)
        return [finding]
    }

    fileprivate static func pickUps(
        of organization: Organization, in transaction: some Transaction
    ) throws -> [Finding] {
        try RosterPickUp.list(of: organization.id, in: transaction).filter { pickUp in
            switch pickUp.outcome {
            case .missing, .unreadable, .unfinished, .defective: true
            // A held import is something that is due, so ``ListDueDates`` tells of it.
            case .applied, .nothingToDo, .held, nil: false
            }
        }.map { pickUp in
            var finding = Finding(.pickUpFailed)
            finding.pickUp = pickUp.id
            finding.on = pickUp.readAt.map { CalendarDay($0) }
            finding.location = try pickUp.location.flatMap {
                try Location.find($0, in: organization.id, transaction)?.name
            }
            return finding
        }
    }

    fileprivate static func apps(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [Finding] {
        try Consent.list(of: organization.id, in: transaction).filter { $0.isAlive(at: now) }.flatMap { consent in
            guard let app = try App.find(consent.appID, in: transaction) else { return [Finding]() }
            func finding(_ kind: Kind, count: Int? = nil) -> Finding {
                var finding = Finding(kind)
                finding.app = app.id.rawValue
                finding.appName = app.name
                finding.count = count
                return finding
            }
            var found: [Finding] = []
            if case .refused = try DataSharingAccess.decide(app: app, organization: organization, in: transaction) {
                found.append(finding(.appIsRefused))
            }
            if try !app.canAuthenticate(in: transaction) { found.append(finding(.appHasNoKey)) }
            if try Person.find(consent.grantedBy, in: transaction)?.state == .deactivated {
                found.append(finding(.consentIsOrphaned))
            }
            let givenUp = try GivenUpNotifications.count(for: app.id, in: transaction)
            if givenUp > 0 { found.append(finding(.appIsUnreached, count: givenUp)) }
            let late = try LoggedNotification.countLate(for: app.id, at: now, in: transaction)
            if late > 0 { found.append(finding(.appIsFailing, count: late)) }
            return found
        }
    }

    /// How many people are named at most. If mail to many was given up, it was for one reason, which a few show as
    /// well.
    private static let unreachedMax = 10

    /// Among how many people whom mail does not reach those are looked for who are of a part of the organization.
    private static let searchedMax = 1_000

    /// Those whose address the caller may change.
    fileprivate static func mail(
        of organization: Organization, for authority: Authority, in transaction: some Transaction
    ) throws -> [Finding] {
        let privilege = Kind.mailIsUndelivered.privilege
        guard authority.has(privilege) else { return [] }
        let isWhole = authority.has(privilege, in: organization.id)
        var findings: [Finding] = []
        for (id, at) in try MailOutbox.unreached(
            in: organization.id, limit: isWhole ? unreachedMax : searchedMax, transaction)
        where findings.count < unreachedMax {
            guard let person = try Person.find(id, in: transaction),
                try isWhole || person.isOpen(to: authority, for: privilege, in: transaction)
            else { continue }
            var finding = Finding(.mailIsUndelivered)
            finding.person = id.rawValue
            finding.fullName = person.fullName
            finding.on = CalendarDay(at)
            findings.append(finding)
        }
        return findings
    }
}

extension App {
    /// Whether one of its clients can show that it is the app: by a key of its team, by a secret of its own, or because
    /// it is a program of the people themselves, which has none.
    fileprivate func canAuthenticate(in transaction: some Transaction) throws -> Bool {
        let keys = try TeamKey.list(of: teamID, in: transaction)
        // A team without keys has not begun yet.
        if keys.isEmpty || keys.contains(where: { $0.revokedAt == nil }) { return true }
        return try transaction.exists(
            "SELECT 1 FROM client WHERE app_id = $1 AND (secret_hash IS NOT NULL OR is_public = 1)", [id])
    }
}
