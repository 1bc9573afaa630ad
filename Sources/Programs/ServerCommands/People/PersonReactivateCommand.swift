import ArgumentParser
import CommandOutput
import Directory
import Storage

struct PersonReactivateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactivate", abstract: "Take back a deactivation.",
        discussion: """
            The person signs in with the former password; `lanyard person password` gives a new one. Former sessions, \
            sign-ins to apps and registered devices do not come back.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let selector = person.selector
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let person = try selector.findToChange(in: transaction)
                guard person.state == .deactivated else {
                    throw Failure("\(person.fullName) is not deactivated; the state is \(person.state.rawValue).")
                }
                try person.reactivate(at: now, in: transaction)
                try AuditEntry(
                    .personChanged, by: .operator, on: "person:\(person.id.rawValue)", outcome: .done,
                    detail: "reactivated", from: .commandLine
                ).append(to: person.organizationID, at: now, in: transaction)
                return try PersonReport(person, in: transaction)
            }
        }
        try output.print(report) { "\(report.fullName) (\(report.userName)) is back. State: \(report.state.words)." }
    }
}
