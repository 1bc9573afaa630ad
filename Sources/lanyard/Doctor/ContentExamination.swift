import Authorization
import Directory
import Foundation
import Mail
import Storage

/// What the records say, in one snapshot of the database.
struct ContentExamination<Snapshot: Transaction> {
    let now: Date
    /// Nil if it cannot be used, which was said already.
    let masterKey: MasterKey?
    let baseURL: String
    let transaction: Snapshot

    func findings() throws -> [Finding] {
        try [
            masterKeyFit(), clock(), [testSchool()], audit(), organizations(), imports(), apps(), notifications(),
            [mail()],
        ].flatMap { $0 }
    }

    private func masterKeyFit() throws -> [Finding] {
        guard let masterKey else { return [] }
        let check = "master key"
        do {
            try ServerKeys.check(masterKey, in: transaction)
            return [.ok(check, "It is open to its owner alone, and fits the database.")]
        } catch let problem as MasterKey.Problem {
            return [.problem(check, "\(problem)", remedy: "Until then neither tokens nor ids of people can be made.")]
        }
    }

    /// When this program was new: no clock that is right says less.
    private static var earliest: Date { Date(timeIntervalSince1970: 1_767_225_600) }

    private func clock() throws -> [Finding] {
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

    private func testSchool() throws -> Finding {
        try Organization.synthetic(in: transaction) == nil
            ? .warning(
                "test school", "The school behind the test scope is not there yet.",
                remedy: "`lanyard serve` makes it when it starts.")
            : .ok("test school", "The school behind the test scope is there.")
    }

    private func audit() throws -> [Finding] {
        let check = "audit trail"
        let chains = try AuditChain.checkAll(in: transaction)
        let broken = chains.compactMap { chain in
            chain.firstBroken.map { number in
                Finding.problem(
                    check, "The chain of \(chain.name) is broken at entry \(number).",
                    remedy: "Somebody changed the database by hand. Compare with a backup, and find out who could.")
            }
        }
        return broken.isEmpty ? [.ok(check, "All \(chains.count) chains are whole.")] : broken
    }

    private func organizations() throws -> [Finding] {
        let all = try Organization.list(in: transaction)
        guard !all.isEmpty else {
            return [
                .warning(
                    "organizations", "There is no organization yet.", remedy: "Make one with `lanyard init --name …`.")
            ]
        }
        return try all.map { organization in
            let administrators = try organization.administratorsWithPassword(in: transaction)
            return administrators > 0
                ? .ok("administrators", "\(organization.name): \(administrators) can sign in.")
                : .warning(
                    "administrators", "\(organization.name): no administrator can sign in.",
                    remedy: "`lanyard init --name '\(organization.name)'` makes a new one-time link for the first one.")
        }
    }

    /// Nobody else tells of an import that ran at night and waits.
    private func imports() throws -> [Finding] {
        try Organization.list(in: transaction).compactMap { organization in
            guard let last = try AuditRecord.lastImport(of: organization.id, in: transaction), last.isHeld else {
                return nil
            }
            return .warning(
                "imports", "\(organization.name): an import waits for approval since \(last.at.minuteText) UTC.",
                remedy: """
                    Run it again: it says why, and how to approve it. Until then the organization is as it was before.
                    """)
        }
    }

    private func apps() throws -> [Finding] {
        let all = try App.list(in: transaction)
        let findings = try all.flatMap {
            try AppExamination(app: $0, baseURL: baseURL, transaction: transaction).findings()
        }
        return findings.isEmpty ? [.ok("apps", "\(all.count) registered, nothing is missing.")] : findings
    }

    private func mail() throws -> Finding {
        let check = "mail queue"
        let backlog = try MailOutbox.backlog(in: transaction)
        let lastError = backlog.lastError.map { " The last failure: \($0)." } ?? ""
        guard backlog.givenUp == 0 else {
            return .warning(
                check, "\(backlog.waiting) waiting, \(backlog.givenUp) given up within a month.\(lastError)",
                remedy: "`lanyard mail test` shows whether mail goes out now.")
        }
        return .ok(check, "\(backlog.waiting) waiting, none given up.\(lastError)")
    }

    private func notifications() throws -> [Finding] {
        let check = "notifications"
        let givenUp = try GivenUpNotifications.list(in: transaction)
        let waiting = try NotificationOutbox.backlog(in: transaction).waiting
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
