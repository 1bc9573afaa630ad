import ArgumentParser
import CommandOutput
import Directory
import Storage

struct PersonUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Let a person sign in again at once, after too many wrong passwords.",
        discussion: """
            Nobody has to wait any more, and the wrong passwords are forgotten. The password stays as it is; `lanyard \
            person password` gives a new one.
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
                guard try Credential.unlock(person, in: transaction) else {
                    throw Failure("Nobody has to wait to sign in as \(person.fullName): there were no wrong passwords.")
                }
                try AuditEntry(
                    .accountUnlocked, by: .operator, on: "person:\(person.id.rawValue)", outcome: .done,
                    from: .commandLine
                ).append(to: person.organizationID, at: now, in: transaction)
                return try PersonReport(person, in: transaction)
            }
        }
        try output.print(report) { "\(report.fullName) (\(report.userName)) can sign in at once." }
    }
}
