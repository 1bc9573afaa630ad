import ArgumentParser
import CommandOutput
import Storage

struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that no entry is missing or was changed.",
        discussion: """
            Without a file, it checks the chains in the database. Entries cut off at the end of a chain leave no trace in \
            it: keep backups, and have the trail stamped (`lanyard audit anchor`).

            With a file of `lanyard audit export`, it checks the file alone, without a database, and names the first line \
            that was changed, taken out, added or moved.

            Exit code 1 if something is wrong.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "A file that `lanyard audit export` has written.", completion: .file())
    var file: String?

    @Option(
        help: "Write the answers of timestamp authorities that are in the file into this folder, for openssl.",
        completion: .directory)
    var replies: String?

    func validate() throws {
        if replies != nil, file == nil { throw ValidationError("--replies needs the exported file.") }
    }

    private struct Result: Encodable {
        let isWhole: Bool
        let chains: [AuditChainReport]
    }

    func run() async throws {
        if let file {
            let report = try ExportVerification(path: file).report(repliesTo: replies)
            try output.print(report) { report.text }
            if !report.isWhole { throw ExitCode.failure }
            return
        }
        let chains = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { try AuditChainReport.checkAll(in: $0) }
        }
        let isWhole = chains.allSatisfy { $0.firstBroken == nil }
        try output.print(Result(isWhole: isWhole, chains: chains)) {
            Table.text(
                ["CHAIN", "STATE"],
                chains.map { [$0.name, $0.firstBroken.map { "broken at entry \($0)" } ?? "whole"] })
        }
        if !isWhole { throw ExitCode.failure }
    }
}
