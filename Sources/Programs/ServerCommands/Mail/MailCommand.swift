import ArgumentParser

struct MailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Mail that Lanyard sends.",
        discussion: "docs/mail.md says how to set it up. `lanyard doctor` says what is set and what waits.",
        subcommands: [MailShowCommand.self, MailTestCommand.self])
}
