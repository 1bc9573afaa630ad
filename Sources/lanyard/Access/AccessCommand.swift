import ArgumentParser

struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Which apps an organization lets read its people and classes.",
        discussion: """
            A gate besides consent: an app needs both, and a change acts on its next call. An organization that has not \
            decided allows only listed apps.
            """,
        subcommands: [
            AccessShowCommand.self, AccessModeCommand.self, AccessAllowCommand.self, AccessRemoveCommand.self,
        ])
}
