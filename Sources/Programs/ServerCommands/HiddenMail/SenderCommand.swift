import ArgumentParser

struct SenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sender",
        abstract: "Who may write to the hidden addresses of a team.",
        discussion: """
            Mail from anybody else is refused. A sender has to pass SPF or DKIM, too; docs/mail.md says how.
            """,
        subcommands: [SenderListCommand.self, SenderAddCommand.self, SenderRemoveCommand.self])
}
