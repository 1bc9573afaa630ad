import ArgumentParser

struct IDMapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "id-map",
        abstract: "Give records the ids of another information system, before its files are imported.",
        subcommands: [IDMapGuessCommand.self, IDMapApplyCommand.self, IDMapUndoCommand.self])
}
