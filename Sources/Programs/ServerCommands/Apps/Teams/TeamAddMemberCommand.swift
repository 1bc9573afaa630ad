import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct TeamAddMemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-member", abstract: "Let a person use the test scope for a team.",
        discussion: "`lanyard person add --personal` makes an account for a developer.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The team, by id or name.")
    var team: String

    @Argument(help: "The person: user name, person id, or number.")
    var person: String

    func run() async throws {
        let (teams, people) = (TeamSelector(text: team), PersonSelector(text: person))
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let team = try teams.find(in: transaction)
                let person = try people.findToChange(in: transaction)
                guard try !Team.isMember(person.id, of: team.id, in: transaction) else {
                    return try TeamReport(team, in: transaction)
                }
                try team.add(member: person.id, in: transaction)
                try AuditEntry(
                    .teamChanged, by: .operator, on: "team:\(team.publicID)", outcome: .done,
                    detail: "member person:\(person.id.rawValue) added", from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return try TeamReport(team, in: transaction)
            }
        }
        try output.print(report) { Table.text(TeamReport.head, [report.row]) }
    }
}
