import Administration
import ArgumentParser
import CommandOutput

struct TeamAddMemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-member", abstract: "Let a person look after a team and its apps.",
        discussion: """
            A member also may use the test scope for the team. `lanyard person add --personal` makes an account for a \
            developer. Members themselves invite others with `lanyard app team invite`.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The team, by id or name.")
    var team: String

    @Argument(help: "The person: user name, person id, or number.")
    var person: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(AddMember(team: TeamReference(team), person: PersonReference(person))).answer
        }
        try output.print(record) { Table.text(TeamRecord.head, [record.row]) }
    }
}

struct TeamRemoveMemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-member", abstract: "End the membership of a person, from the next call on.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The team, by id or name.")
    var team: String

    @Argument(help: "The member: user name, or number.")
    var person: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(RemoveMember(team: TeamReference(team), person: PersonReference(person))).answer
        }
        try output.print(record) { Table.text(TeamRecord.head, [record.row]) }
    }
}

struct TeamInviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make a code with which somebody joins a team.",
        discussion: "It counts once, within a week. Give it to the person whom you mean, and to nobody else.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    private struct Result: Encodable {
        let team: String
        let code: String
    }

    func run() async throws {
        let answer = try await Deployment.administrate(global) { administrator in
            try await administrator.perform(InviteMember(team: team.reference(administrator))).answer
        }
        try output.print(Result(team: answer.team.id, code: answer.code)) {
            "The code to join “\(answer.team.name)” is shown this once:\n\n    \(answer.code)"
        }
    }
}

struct TeamUninviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninvite", abstract: "Make all open invitations to a team void.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    func run() async throws {
        let record = try await Deployment.administrate(global) { administrator in
            try await administrator.perform(WithdrawInvitations(team: team.reference(administrator))).answer
        }
        try output.print(record) { "Nobody joins “\(record.name)” with the codes that were made until now." }
    }
}

struct TeamJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join the team that has invited you, with --server.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The code of the invitation.")
    var code: String

    func run() async throws {
        let record = try await Deployment.administrate(global) { try await $0.perform(JoinTeam(code: code)).answer }
        try output.print(record) { "You are a member of “\(record.name)” now." }
    }
}
