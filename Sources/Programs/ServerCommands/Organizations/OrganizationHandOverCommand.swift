import Administration
import ArgumentParser
import CommandOutput
import Directory
import Foundation
import RosterFiles

struct OrganizationHandOverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hand-over", abstract: "Write all that an organization takes with it into a folder.",
        discussion: """
            For a school that closes or moves to another server: the six roster files, what is known of each person, the \
            classes, the settings, and the audit trail with its proof. Nothing secret is in it. Only on the server \
            itself; the audit trail has an entry of it. Nothing of the organization is changed.

            For example:
              lanyard org hand-over maple-district
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The folder, which must not be there yet.", completion: .directory)
    var folder: String

    func run() async throws {
        if try global.remote != nil {
            throw Failure("An organization is handed over only on the server itself: leave out --server.")
        }
        let (path, reference) = (folder, organization.reference)
        let report = try await Deployment.administrate(global) { administrator in
            // Without --server, which is refused above, it is the one on the database itself.
            guard let administrator = administrator as? Administrator else { preconditionFailure("it is no server") }
            return try await HandOverFolder(path: path)
                .write(try await HandOver(of: reference, by: administrator), administrator)
        }
        try output.print(report) {
            """
            Wrote all that there is about \(report.organization) to \(report.folder): people \(report.people), classes \
            \(report.classes). README.txt there says what each file is. Keep the folder as you would keep the database: it \
            is about children.
            """
        }
    }
}
