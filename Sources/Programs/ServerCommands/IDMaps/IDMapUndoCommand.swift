import Administration
import ArgumentParser
import CommandOutput

struct IDMapUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Give the records of a map their former ids back.",
        discussion: """
            Refused if an import was made with the new ids: take that back first, by `lanyard import --undo`.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The number of the map, as `lanyard id-map apply` has told it.")
    var map: Int64

    func run() async throws {
        let done = try await Deployment.administrate(global) {
            try await $0.perform(UndoIDMap(map: IDMapReference(map)), in: organization.reference)
        }
        try output.print(done) {
            "Id map \(map) is taken back: \(done.effects.map(\.detail).joined(separator: ", "))."
        }
    }
}
