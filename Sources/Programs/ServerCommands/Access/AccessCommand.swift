import ArgumentParser

struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "To which apps an organization's people sign in, and which read its people and classes.",
        discussion: """
            There are two rules, each with a mode and a list. `--for data-sharing` (the default) decides which apps may \
            read; an app needs a consent as well. `--for sign-in` decides to which apps people can sign in; an app to \
            which they cannot sign in reads nothing either. A change takes effect with the app's next call. By default \
            people can sign in to all apps, and only listed apps may read.
            """,
        subcommands: [
            AccessShowCommand.self, AccessSearchCommand.self, AccessModeCommand.self, AccessAllowCommand.self,
            AccessRemoveCommand.self,
        ])
}
