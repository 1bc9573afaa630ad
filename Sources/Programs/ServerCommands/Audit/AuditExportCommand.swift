import Administration
import ArgumentParser
import CommandOutput

struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the trail, or a part of it, into a file that proves that nothing in it was changed.",
        discussion: """
            The file has one JSON object a line. `lanyard audit verify FILE` verifies it without this server's data, and \
            so can other programs, because the form is documented.

            For example:
              lanyard audit export --from 2026-08-01 --until 2027-08-01 --out trail.jsonl
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "The file, which must not be there yet.", completion: .file())
    var out: String

    @Option(help: "From the first entry of this time on, such as 2026-08-01.")
    var from: PointInTime?

    @Option(help: "Up to the last entry before this time.")
    var until: PointInTime?

    @Flag(help: "Export the chain of the server itself.")
    var ofServer = false

    func validate() throws {
        if ofServer, organization.organization != nil {
            throw ValidationError("--of-server exports the chain of no organization: leave out --org.")
        }
        if let from, let until, from.date >= until.date { throw ValidationError("--from must be before --until.") }
    }

    func run() async throws {
        let export = AuditExportFile(
            organization: organization.reference, from: from?.date, until: until?.date, ofServer: ofServer)
        let report = try await Deployment.administrate(global) { try await export.write(from: $0, to: out) }
        try output.print(report) {
            """
            Wrote entries \(report.first) to \(report.last) to \(report.file). `lanyard audit verify \(report.file)` \
            verifies it anywhere.
            """
        }
    }
}
