import Administration
import ArgumentParser
import CommandOutput

struct TeamListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the teams.", discussion: "With --server, those of which you are a member.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let answer = try await Deployment.administrate(global) { try await $0.ask(ListTeams()) }
        try output.print(answer) {
            answer.teams.isEmpty ? TeamRecord.noTeam : Table.text(TeamRecord.head, answer.teams.map(\.row))
        }
    }
}

struct TeamChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes", abstract: "List the changes of a team and its apps that can be taken back.",
        discussion: "`lanyard change undo` takes one back.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    @Option(help: "Begin before this one: the number that the page before ended with.")
    var before: Int64?

    @Option(help: "How many to show.")
    var limit = 100

    func run() async throws {
        let answer = try await Deployment.administrate(global) { administrator in
            try await administrator.ask(
                ListTeamChanges(team: team.reference(administrator), before: before, limit: limit))
        }
        try output.print(answer) { answer.text }
    }
}

struct TeamShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one team, and the apps that others offer it.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    func run() async throws {
        let record = try await Deployment.administrate(global) { administrator in
            try await administrator.ask(ShowTeam(team: team.reference(administrator)))
        }
        try output.print(record) { record.text }
    }
}
