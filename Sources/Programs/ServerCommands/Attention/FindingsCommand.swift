import Administration
import ArgumentParser
import CommandOutput
import Directory

struct FindingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "findings", abstract: "Show what is wrong in an organization now, with the command that helps.",
        discussion: """
            Locked accounts, second factors that are missing, folders that were not imported, apps that take no messages \
            or may not read, consents of people who have left, and mail that does not arrive. With --server, an Administrator \
            also learns that something is wrong with the server itself; on it, `lanyard doctor` says more. What is due on a \
            day is in `lanyard calendar`.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListFindings(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.findings.isEmpty { return "Nothing is wrong." }
            return Table.text(["WHAT", "COMMAND"], answer.findings.map { [$0.text, $0.command] })
        }
    }
}

extension Administration.Finding {
    fileprivate var text: String {
        let count = count ?? 0
        func counted(_ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
        let app = appName ?? "an app"
        let day = on.map { " on \($0.text)" } ?? ""
        return switch kind {
        case .accountsAreLocked where count > Self.lockedMax:
            "more than \(Self.lockedMax) accounts are locked after wrong passwords"
        case .accountsAreLocked: "\(counted("account is", "accounts are")) locked after wrong passwords"
        case .factorsAreMissing:
            "\(counted("person needs", "people need")) a second factor\(on.map { " from \($0.text) on" } ?? "")"
        case .pickUpFailed: "the folder\(location.map { " of \($0)" } ?? "") was not imported\(day)"
        case .appIsUnreached: "\(counted("message", "messages")) to \(app) did not arrive"
        case .appIsFailing: "\(counted("message waits", "messages wait")) for \(app) for an hour or longer"
        case .appIsRefused: "\(app) is connected, and may not read"
        case .appHasNoKey: "\(app) is connected, and every key of its team is revoked"
        case .consentIsOrphaned: "\(app) reads by the consent of somebody who is deactivated"
        case .mailIsUndelivered: "mail to \(fullName ?? "somebody") did not arrive\(day)"
        case .serverNeedsOperator: trouble?.text ?? "the server needs whoever runs it"
        }
    }

    fileprivate var command: String {
        let app = (appName ?? "…").quotedForShell
        return switch kind {
        case .accountsAreLocked: "lanyard person list --state locked"
        case .factorsAreMissing: "lanyard org set --second-factor-days …"
        case .pickUpFailed: "lanyard pick-up show \(pickUp.map(String.init) ?? "…")"
        case .appIsUnreached, .appIsFailing: "lanyard app notifications \(app)"
        case .appIsRefused: "lanyard access allow \(app)"
        case .appHasNoKey, .consentIsOrphaned: "lanyard consent show \(app)"
        case .serverNeedsOperator: "lanyard doctor --network (on the server)"
        case .mailIsUndelivered: "lanyard person show \(person.map { "PE-\($0)" } ?? "…")"
        }
    }
}

extension ServerTrouble {
    fileprivate var text: String {
        switch self {
        case .backup: "the server has no copy of its database from the last two days"
        case .certificate: "the certificate at the server's address is not trusted, or ends within two weeks"
        case .mailServer: "the mail server takes no mail"
        case .diskSpace: "the server has hardly any room left on its disk"
        case .secrets: "what the server keeps secret is open to others on its machine, or its key is gone"
        case .profileSigning: "the server cannot sign profiles for devices, or only for less than 30 days more"
        case .settings: "the server's settings have a mistake, with which it would not start again"
        }
    }
}
