import Testing

@testable import CommandOutput

@Suite("Commands in messages")
struct CommandWordTests {
    @Test(
        "A message names the command that its reader has",
        arguments: [
            (
                "Run `lanyard backup`, and `lanyard doctor --mail`.",
                "Run `lanyardctl backup`, and `lanyardctl doctor --mail`."
            ),
            ("Start it: `lanyard serve`.", "Start it: `systemctl start lanyard`."),
            (
                "USAGE: lanyard setup [--json]\n\n  lanyard setup",
                "USAGE: lanyardctl setup [--json]\n\n  lanyardctl setup"
            ),
            ("See 'lanyard org --help' for more", "See 'lanyardctl org --help' for more"),
            ("`journalctl -u lanyard-backup`, user lanyard", "`journalctl -u lanyard-backup`, user lanyard"),
        ])
    func names(text: String, packaged: String) {
        #expect(text.namingCommands(packaged: true) == packaged)
        #expect(packaged.namingCommands(packaged: true) == packaged)
        #expect(text.namingCommands(packaged: false) == text)
    }

    @Test("It is lanyardctl where that is installed, and works with the package's settings")
    func whose() {
        func isPackaged(_ arguments: [String], _ settings: String?, _ hasCommand: Bool = true) -> Bool {
            CommandWord.isPackaged(
                arguments: ["lanyard"] + arguments, environment: settings.map { ["LANYARD_CONFIG": $0] } ?? [:],
                hasCommand: hasCommand)
        }
        #expect(isPackaged(["doctor"], CommandWord.packagedSettings))
        #expect(isPackaged(["doctor", "--config", CommandWord.packagedSettings], nil))
        #expect(isPackaged(["doctor", "--config=\(CommandWord.packagedSettings)"], "/srv/lanyard.json"))
        #expect(!isPackaged(["doctor"], nil))
        #expect(!isPackaged(["doctor", "--config", "mine.json"], CommandWord.packagedSettings))
        // In a container.
        #expect(!isPackaged(["doctor"], CommandWord.packagedSettings, false))
    }
}
