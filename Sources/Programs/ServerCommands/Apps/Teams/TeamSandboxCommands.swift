import Administration
import ArgumentParser
import CommandOutput
import Foundation

struct TeamSandboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "A school of a team's own, to try its apps in.",
        discussion: """
            It has made-up people and classes, which you change as an administrator of a school does, in its console. No \
            apps count in it but those of the team, and no mail leaves it.
            """,
        subcommands: [
            SandboxShowCommand.self, SandboxCreateCommand.self, SandboxPasswordCommand.self, SandboxRemoveCommand.self,
        ])
}

private struct SandboxShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the sandbox of a team.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) { administrator in
            try await administrator.ask(ShowSandbox(team: team.reference(administrator)))
        }
        try output.print(answer) {
            guard let sandbox = answer.sandbox else {
                return "The team has no sandbox. `lanyard app team sandbox create` makes one."
            }
            return Table.fields([
                ("Name", sandbox.name), ("Id", sandbox.id), ("Team", sandbox.team),
                ("User names end with", "@\(sandbox.domain)"),
                ("Administrators", sandbox.administrators.joined(separator: ", ")),
                ("People", "\(sandbox.people)"), ("Classes", "\(sandbox.classes)"),
                ("Since", "\(sandbox.createdAt.minuteText) UTC"),
            ])
        }
    }
}

private struct SandboxCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make the sandbox of a team; the password of its administrator is printed once.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    func run() async throws {
        let opened = try await Deployment.administrate(global) { administrator in
            try await administrator.perform(CreateSandbox(team: team.reference(administrator))).answer
        }
        try output.print(opened) { "Made “\(opened.sandbox.name)”.\n\n\(opened.text)" }
    }
}

private struct SandboxPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Give the administrator of a sandbox a new password; it is printed once.",
        discussion: "The old one is void, and the administrator is signed out everywhere.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    func run() async throws {
        let opened = try await Deployment.administrate(global) { administrator in
            try await administrator.perform(IssueSandboxPassword(team: team.reference(administrator))).answer
        }
        try output.print(opened) { opened.text }
    }
}

private struct SandboxRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove the sandbox of a team.",
        discussion: "Nobody of it signs in any more, and all of it is erased within a day. This cannot be taken back.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The team, by id or name.")
    var team: String

    func run() async throws {
        let answer = try await confirmation.perform(
            RemoveSandbox(team: TeamReference(team)), in: .only, global, output)
        guard let answer else { return }
        try output.print(answer) { "Removed “\(answer.removed)”." }
    }
}

extension OpenedSandbox {
    fileprivate var text: String {
        """
        Its administrator signs in as \(userName) with this temporary password:

            \(password)

        It is shown this once, and good until \(validUntil.minuteText) UTC. The console is at /manager.
        """
    }
}
