import ArgumentParser

struct ConsentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "What an organization's administrators have allowed apps to read, and until when.",
        discussion: """
            An administrator gives a consent in the browser, where the app sends them. One that has an end is renewed \
            there too, on the account page, or here.
            """,
        subcommands: [
            ConsentListCommand.self, ConsentShowCommand.self, ConsentRevokeCommand.self, ConsentLimitCommand.self,
            ConsentRenewCommand.self, ConsentTermCommand.self,
        ])
}
