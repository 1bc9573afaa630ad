import ArgumentParser

struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "To which apps an organization's people sign in, and which read its people and classes.",
        discussion: """
            Two rules, each with a mode and a list: `--for data-sharing` (the default) is a gate besides consent, an app \
            needs both; `--for sign-in` decides to which apps people can sign in, and an app to which they cannot reads \
            nothing either. A change acts on the next call. An organization that has not decided lets people sign in to \
            all apps, and only listed apps read.
            """,
        subcommands: [
            AccessShowCommand.self, AccessModeCommand.self, AccessAllowCommand.self, AccessRemoveCommand.self,
        ])
}
