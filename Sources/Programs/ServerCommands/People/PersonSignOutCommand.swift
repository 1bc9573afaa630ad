import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct PersonSignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign a person out of everything: browsers, apps, and devices that wait to be signed in.",
        discussion: """
            For a stolen token or a lost laptop. The password stays as it is; if somebody else may know it, run \
            `lanyard person password` instead, which signs the person out as well. The apps that the person uses are \
            notified, and the next sign-in to each asks for consent again. Registered devices stay, unless you say \
            --devices.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @Flag(help: "Remove the person's registered devices too.")
    var devices = false

    private struct Result: Encodable {
        let person: PersonReport
        let sessions: Int
        /// Number of apps that are notified and have to sign the person in again.
        let apps: Int
        /// Number of devices that were removed.
        let devices: Int

        var text: String {
            func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
            let removed = devices > 0 ? ", and \(counted(devices, "device")) removed" : ""
            return """
                \(person.fullName) (\(person.userName)) is signed out of \(counted(sessions, "browser")) and \
                \(counted(apps, "app"))\(removed).
                """
        }
    }

    func run() async throws {
        let (selector, devices) = (person.selector, devices)
        let result = try await Deployment.withExisting(global) { deployment, _ in
            let (now, surroundings) = (deployment.now, deployment.surroundings)
            return try await deployment.database.write { transaction in
                let person = try selector.findToChange(in: transaction)
                let sessions = try BrowserSession.count(of: person.id, at: now, in: transaction)
                let removed = devices ? try RegisteredDevice.count(of: person.id, in: transaction) : 0
                try Person.endSignIns(of: "$1", [person.id], devices: devices, in: transaction)
                let apps = try EndedSignIns.close(
                    .signedOut, of: person.id, by: .operator, from: .commandLine, at: now, surroundings: surroundings,
                    in: transaction)
                try AuditEntry(
                    .signOut, by: .operator, on: "person:\(person.id.rawValue)", outcome: .done,
                    detail: "of everything" + (devices ? ", devices removed" : ""), from: .commandLine
                ).append(to: person.organizationID, at: now, in: transaction)
                return Result(
                    person: try PersonReport(person, in: transaction), sessions: sessions, apps: apps, devices: removed)
            }
        }
        try output.print(result) { result.text }
    }
}
