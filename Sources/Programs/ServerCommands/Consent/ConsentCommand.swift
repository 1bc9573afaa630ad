import ArgumentParser

struct ConsentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "What an organization's administrators have allowed apps to read.",
        discussion: "An administrator gives a consent in the browser, where the app sends them.",
        subcommands: [ConsentListCommand.self, ConsentRevokeCommand.self])
}
