import ArgumentParser

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Keys with which teams sign their client secrets.",
        subcommands: [KeyListCommand.self, KeyCreateCommand.self, KeyRevokeCommand.self])
}
