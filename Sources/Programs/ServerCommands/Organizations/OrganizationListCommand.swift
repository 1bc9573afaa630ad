import ArgumentParser
import CommandOutput
import Directory
import Storage

struct OrganizationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the organizations.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Show the school behind the test scope too.")
    var testSchool = false

    private struct Result: Encodable {
        let organizations: [OrganizationReport]
    }

    func run() async throws {
        let showsTestSchool = testSchool
        let organizations = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let synthetic = showsTestSchool ? try Organization.synthetic(in: transaction) : nil
                return try (Organization.list(in: transaction) + [synthetic].compactMap { $0 })
                    .map { try OrganizationReport($0, in: transaction) }
            }
        }
        try output.print(Result(organizations: organizations)) {
            if organizations.isEmpty { return "There is no organization yet. Make one with `lanyard init --name …`." }
            return Table.text(
                ["ID", "NAME", "KIND", "LOCATIONS", "PEOPLE", "CLASSES"],
                organizations.map {
                    [$0.id, $0.name, $0.kind.rawValue, "\($0.locations)", "\($0.people)", "\($0.classes)"]
                })
        }
    }
}
