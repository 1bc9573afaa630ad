import ArgumentParser
import CommandOutput
import Directory
import RosterFiles
import Storage

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write an organization's roster as the CSV files that `import` reads: six, or a business's one.",
        discussion: """
            Records that were added by hand are left out, since these files cannot hold them. Importing the \
            files changes nothing.

            For example:
              lanyard export roster-of-today.zip
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var output: OutputOptions

    @Argument(
        help: "A folder, or a file that ends in .zip. Files of the same names are replaced.", completion: .directory)
    var path: String

    @Flag(
        help: """
            Put an apostrophe before values that a spreadsheet would read as a formula. Such files are for viewing \
            only, not for importing.
            """)
    var forSpreadsheet = false

    func validate() throws {
        guard !path.isEmpty else { throw ValidationError("The name of the folder or file is empty.") }
    }

    func run() async throws {
        let selector = organization.selector
        let (path, forSpreadsheet) = (path, forSpreadsheet)
        let rows = try await Deployment.withExisting(global) { deployment, _ in
            let organization = try await deployment.database.read { try selector.find(in: $0) }
            return try await RosterExporter(database: deployment.database, surroundings: deployment.surroundings)
                .export(
                    organization: organization.id, to: path, isForSpreadsheet: forSpreadsheet, actor: .operator,
                    origin: .commandLine)
        }
        let counts = Dictionary(uniqueKeysWithValues: rows.map { ($0.key.name, $0.value) })
        try output.print(counts) {
            Table.text(
                ["FILE", "ROWS"], RosterFile.allCases.compactMap { file in rows[file].map { [file.name, String($0)] } })
        }
    }
}
