import Administration
import ArgumentParser
import CommandOutput

struct TeamCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a team.",
        discussion: """
            Each team knows people by ids of its own, which no other team can match. With --server you become its first \
            member; the setting teamsMadeBy says who may.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The name, such as Quizzler Inc.")
    var name: String

    func run() async throws {
        let record = try await Deployment.administrate(global) { try await $0.perform(AddTeam(name: name)).answer }
        try output.print(record) { "Made the team “\(record.name)”.\n\nTeam id (iss):  \(record.id)" }
    }
}

struct TeamRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a team another name.",
        discussion: "People see it where the apps of the team ask them for something.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The team, by id or name.")
    var team: String

    @Argument(help: "The new name.")
    var name: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(RenameTeam(team: TeamReference(team), name: name)).answer
        }
        try output.print(record) { Table.text(TeamRecord.head, [record.row]) }
    }
}

struct TeamRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a team that has no app.",
        discussion: "Its members are members no more, and its keys are revoked. This cannot be taken back.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The team, by id or name.")
    var team: String

    func run() async throws {
        let answer = try await confirmation.perform(
            RemoveTeam(team: TeamReference(team)), in: .only, global, output)
        guard let answer else { return }
        try output.print(answer) { "Removed the team “\(answer.removed)”." }
    }
}
