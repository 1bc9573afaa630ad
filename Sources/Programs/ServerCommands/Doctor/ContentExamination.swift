import Authorization
import CommandOutput
import Directory
import Foundation
import Mail
import Outbox
import Storage

/// Checks the records in the database. Each check has its own transaction, so that an error in one does not hide the
/// findings of the others.
struct ContentExamination: Sendable {
    let now: Date
    /// nil if it cannot be used, which another finding reports.
    let masterKey: MasterKey?
    let baseURL: String
    /// Whether the server can send mail.
    let sendsMail: Bool

    func findings(in database: any Database) async -> [Finding] {
        let checks: [@Sendable (ReadTransaction) throws -> [Finding]] = [
            masterKeyFit, clock, testSchool, audit, organizations, imports, consents, apps, notifications, mail,
        ]
        var findings: [Finding] = []
        for check in checks {
            do {
                findings += try await database.read { try check($0) }
            } catch {
                findings.append(
                    .problem(
                        "records", "The records cannot be read: \(error)",
                        remedy: "Restore the database from your backup."))
            }
        }
        return findings
    }

    @Sendable private func masterKeyFit(in transaction: ReadTransaction) throws -> [Finding] {
        guard let masterKey else { return [] }
        let check = "master key"
        do {
            try ServerKeys.check(masterKey, in: transaction)
            return [.ok(check, "It is open to its owner alone, and fits the database.")]
        } catch let problem as MasterKey.Problem {
            return [.problem(check, "\(problem)", remedy: "Until then neither tokens nor ids of people can be made.")]
        }
    }

    /// 1 January 2026, before this program existed: a clock that shows an earlier time is wrong.
    private static var earliest: Date { Date(timeIntervalSince1970: 1_767_225_600) }

    @Sendable private func clock(in transaction: ReadTransaction) throws -> [Finding] {
        let check = "clock"
        let remedy = "Let the machine keep time (systemd-timesyncd, chrony): tokens and codes live for minutes."
        if now < Self.earliest {
            return [.problem(check, "The clock says \(now.minuteText) UTC, which cannot be.", remedy: remedy)]
        }
        if let latest = try AuditRecord.latest(in: transaction), latest > now.addingTimeInterval(300) {
            return [
                .problem(
                    check,
                    "The clock says \(now.minuteText) UTC, but the last audit entry is of \(latest.minuteText) UTC.",
                    remedy: remedy)
            ]
        }
        return [.ok(check, "\(now.minuteText) UTC.")]
    }

    @Sendable private func testSchool(in transaction: ReadTransaction) throws -> [Finding] {
        [
            try Organization.synthetic(in: transaction) == nil
                ? .warning(
                    "test school", "The school behind the test scope is not there yet.",
                    remedy: "The server makes it when it starts.")
                : .ok("test school", "The school behind the test scope is there.")
        ]
    }

    @Sendable private func audit(in transaction: ReadTransaction) throws -> [Finding] {
        let check = "audit trail"
        let chains = try AuditChainReport.checkAll(in: transaction)
        let broken = chains.compactMap { chain in
            chain.firstBroken.map { number in
                Finding.problem(
                    check, "The chain of \(chain.name) is broken at entry \(number).",
                    remedy: "Somebody changed the database by hand. Compare with a backup, and find out who could.")
            }
        }
        return broken.isEmpty ? [.ok(check, "All \(chains.count) chains are whole.")] : broken
    }

    @Sendable private func organizations(in transaction: ReadTransaction) throws -> [Finding] {
        let all = try Organization.listOwn(in: transaction)
        guard !all.isEmpty else {
            return [
                .warning(
                    "organizations", "There is no organization yet.", remedy: "Make one with `lanyard init --name …`.")
            ]
        }
        return try all.map { organization in
            if let closing = organization.closing {
                let end = closing.erasedAt == nil ? "it is erased from \(closing.erasesOn.text) on" : "it was erased"
                return .ok("closed", "\(organization.name) is closed since \(closing.closedAt.minuteText) UTC; \(end).")
            }
            let administrators = try organization.administratorsWithPassword(at: now, in: transaction)
            return administrators > 0
                ? .ok("administrators", "\(organization.name): \(administrators) can sign in.")
                : .warning(
                    "administrators", "\(organization.name): no administrator can sign in.",
                    remedy: "`lanyard init --name '\(organization.name)'` makes a new one-time link for the first one.")
        }
    }

    /// Consents that were given by people who are deactivated. They stay valid because they are the organization's, but
    /// maybe nobody takes care of them any more.
    @Sendable private func consents(in transaction: ReadTransaction) throws -> [Finding] {
        let check = "consents"
        let all = try Organization.listOwn(in: transaction).flatMap { organization in
            try Consent.list(of: organization.id, in: transaction).filter { $0.isAlive(at: now) }
                .map { (consent: $0, organization: organization) }
        }
        let orphaned = try all.compactMap { consent, organization -> Finding? in
            guard let giver = try Person.find(consent.grantedBy, in: transaction), giver.state == .deactivated,
                let app = try App.find(consent.appID, in: transaction)
            else { return nil }
            return .warning(
                check, "\(organization.name): \(app.name) reads by a consent of \(giver.fullName), who is deactivated.",
                remedy: """
                    If it is still wanted, another administrator allows it once more in the browser; if not, run `lanyard \
                    consent revoke '\(app.name)'`.
                    """)
        }
        let ending = try all.compactMap { consent, organization in
            try finding(check, ofEnd: consent, organization, in: transaction)
        }
        return orphaned.isEmpty && ending.isEmpty
            ? [.ok(check, "\(all.count) alive, given by people who are still there.")] : orphaned + ending
    }

    /// A consent that ends soon. That those who decide were asked by mail is enough until the last week.
    private func finding(
        _ check: String, ofEnd consent: Consent, _ organization: Organization, in transaction: ReadTransaction
    ) throws -> Finding? {
        guard let lastDay = consent.lastDay, lastDay <= CalendarDay(now).adding(days: Consent.noticeDays),
            let app = try App.find(consent.appID, in: transaction)
        else { return nil }
        let mail =
            consent.reminders > 0
            ? "Those who decide were asked by mail to renew it."
            : sendsMail
                ? "The server asks by mail as soon as it runs, if anybody who decides has an address."
                : "Nobody is asked by mail to renew it, because mail is off."
        return .warning(
            check, "\(organization.name): the consent for \(app.name) ends on \(lastDay.text). \(mail)",
            remedy: "If it is still wanted, `lanyard consent renew '\(app.name)'`.")
    }

    /// Imports that wait for approval. If one ran at night by a script, the operator may not know of it.
    @Sendable private func imports(in transaction: ReadTransaction) throws -> [Finding] {
        try Organization.listOwn(in: transaction).flatMap { organization in
            try HeldImport.list(of: organization.id, in: transaction).map { held in
                let schools = try held.schools.sorted().compactMap {
                    try Location.find($0, in: organization.id, transaction)?.name
                }
                let place = schools.isEmpty ? "" : " for \(schools.joined(separator: ", "))"
                return .warning(
                    "imports",
                    "\(organization.name): an import\(place) waits for approval since \(held.at.minuteText) UTC.",
                    remedy: """
                        Run it again: it says why, and how to approve it. Until then the organization is as it was \
                        before.
                        """)
            }
        }
    }

    @Sendable private func apps(in transaction: ReadTransaction) throws -> [Finding] {
        let all = try App.list(in: transaction)
        let findings = try all.flatMap {
            try AppExamination(app: $0, baseURL: baseURL, transaction: transaction).findings()
        }
        return findings.isEmpty ? [.ok("apps", "\(all.count) registered, nothing is missing.")] : findings
    }

    @Sendable private func mail(in transaction: ReadTransaction) throws -> [Finding] {
        let check = "mail queue"
        let backlog = try MailOutbox.outbox.backlog(in: transaction)
        let lastError = backlog.lastError.map { " The last failure: \($0)." } ?? ""
        guard backlog.givenUp == 0 else {
            return [
                .warning(
                    check, "\(backlog.waiting) waiting, \(backlog.givenUp) given up within a month.\(lastError)",
                    remedy: "`lanyard mail test` shows whether mail goes out now.")
            ]
        }
        return [.ok(check, "\(backlog.waiting) waiting, none given up.\(lastError)")]
    }

    @Sendable private func notifications(in transaction: ReadTransaction) throws -> [Finding] {
        let check = "notifications"
        let givenUp = try GivenUpNotifications.list(in: transaction)
        let waiting = try NotificationOutbox.outbox.backlog(in: transaction).waiting
        guard !givenUp.isEmpty else { return [.ok(check, "\(waiting) waiting, none given up.")] }
        return try givenUp.map { lost in
            let app = try App.find(lost.appID, in: transaction)
            return .warning(
                check,
                "Given up for \(app?.name ?? "an app"): \(lost.count) (\(lost.lastError ?? "no answer")).",
                remedy: "Tell its developers that consents were revoked, and check its notification URL.")
        }
    }
}
