import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct PersonDeactivateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate",
        abstract: "Keep a person out: no sign-in, and apps do not see the person.",
        discussion: """
            All sessions of the person end, their registered devices are removed, and the apps that they used are \
            notified. The record stays. After `lanyard person reactivate` the person has to sign in again everywhere.
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
                guard try person.deactivate(at: now, in: transaction) else {
                    throw Failure("\(person.fullName) is deactivated already.")
                }
                try AuditEntry(
                    .personChanged, by: .operator, on: "person:\(person.id.rawValue)", outcome: .done,
                    detail: "deactivated", from: .commandLine
                ).append(to: person.organizationID, at: now, in: transaction)
                try EndedSignIns.tellOfDeparture(
                    of: person.id, by: .operator, from: .commandLine, at: now, surroundings: deployment.surroundings,
                    in: transaction)
                return try PersonReport(person, in: transaction)
            }
        }
        try output.print(report) { "\(report.fullName) (\(report.userName)) is deactivated." }
    }
}
