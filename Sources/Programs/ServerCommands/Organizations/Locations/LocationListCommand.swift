import ArgumentParser
import CommandOutput
import Directory
import Storage

struct LocationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the locations.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var page: PageOptions

    private struct Result: Encodable {
        let locations: [LocationReport]
        let next: Int?
    }

    func run() async throws {
        let selector = organization.selector
        let (after, limit) = (page.after, page.limit)
        let found = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                try Location.page(
                    of: selector.find(in: transaction).id, after: LocationID(rawValue: Int64(after)), limit: limit + 1,
                    in: transaction)
            }
        }
        let (locations, next) = found.page(limit: limit) { Int($0.id.rawValue) }
        let result = Result(locations: locations.map(LocationReport.init), next: next)
        try output.print(result) {
            if result.locations.isEmpty { return "There is no location\(after > 0 ? " after \(after)" : " yet")." }
            return Table.text(LocationReport.head, result.locations.map(\.row)) + PageOptions.hint(next)
        }
    }
}
