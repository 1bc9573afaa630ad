import ArgumentParser

struct LocationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "location",
        abstract: "Locations: schools, buildings, offices.",
        subcommands: [
            LocationListCommand.self, LocationShowCommand.self, LocationAddCommand.self, LocationSetCommand.self,
            LocationRemoveCommand.self, LocationRestoreCommand.self,
        ])
}
