import ArgumentParser
import CommandOutput
import Foundation
import Ground

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a copy in the place of the database.",
        discussion: """
            No server may run meanwhile. Before you begin, run `lanyard backup` if the database can still be read: its list says \
            what was erased and closed last. What is there is moved aside. People who were erased since the copy was made are erased \
            again, and organizations that were closed since are closed again: by all lists in the folder of the copy, and by the \
            database that was there, if it can be read. PostgreSQL is filled by pg_restore, and has to be an empty database.

            For example:
              lanyard restore /var/backups/lanyard/lanyard-20261128T021500Z.sqlite
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The copy, or its manifest, beside it.", completion: .file())
    var copy: String

    @Option(
        help: "A list of erasures, besides those in the folder of the copy. May be repeated.", completion: .file())
    var erasures: [String] = []

    func run() async throws {
        guard try global.remote == nil else { throw Failure.onlyHere }
        let settings = try await Settings(global)
        let restoration = try Restoration(of: copy, lists: erasures, settings: settings)
        let time = restoration.entry.manifest.madeAt.minuteText
        let lost = "Everything since \(time) UTC: people, passwords, consents, and what was revoked"
        if confirmation.dryRun {
            try output.print(["wouldEnd": restoration.replacesDatabase ? [lost] : []]) {
                restoration.replacesDatabase
                    ? "This would end:\n\n  \(lost)" : "Nothing would end: there is no database yet."
            }
            return
        }
        try confirmation.confirm(restoration.replacesDatabase ? [lost] : [])
        let report = try await restoration.carryOut()
        try output.print(report) { text(of: report) }
    }

    private func text(of report: Restoration.Report) -> String {
        var lines = ["The copy of \(report.madeAt.minuteText) UTC is in place."]
        if let aside = report.aside {
            lines.append("What was there is \(aside). Delete it when you no longer need it: people are in it too.")
        }
        lines += report.erasures.lines
        lines += report.notes
        switch report.revokedSince {
        case let revoked? where !revoked.isEmpty:
            lines.append("These consents were revoked since, and are valid again:")
            lines += revoked.map { "  \($0.organization): \($0.app), revoked \($0.revokedAt.minuteText) UTC" }
        case .some: break
        case nil: lines.append("Consents that were revoked since are valid again; revoke them once more.")
        }
        lines.append("")
        lines.append("Next: `lanyard doctor`, and then start the server.")
        return lines.joined(separator: "\n")
    }
}
