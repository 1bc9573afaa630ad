import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct TeamCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a team.",
        discussion: "Each team knows people by ids of its own, which no other team can match.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The name, such as Quizzler Inc.")
    var name: String

    func run() async throws {
        // Normalized as for storing, so that it can be compared with stored names.
        let name = try FieldRule.name.check(name, field: "team name")
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                guard try !Team.list(in: transaction).contains(where: { $0.name == name }) else {
                    throw Failure("There is a team “\(name)” already. Choose another name.")
                }
                let team = try Team.insert(
                    name: name, at: now, from: deployment.surroundings, under: deployment.masterKey, in: transaction)
                try AuditEntry(
                    .teamCreated, by: .operator, on: "team:\(team.publicID)", outcome: .done, from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return try TeamReport(team, in: transaction)
            }
        }
        try output.print(report) { "Made the team “\(report.name)”.\n\nTeam id (iss):  \(report.id)" }
    }
}
