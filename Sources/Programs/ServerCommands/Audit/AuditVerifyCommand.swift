import ArgumentParser
import CommandOutput
import Storage

struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that no entry is missing or was changed.",
        discussion: "Exit code 1 if one is. Entries cut off at the end of a chain leave no trace in it: keep backups.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    private struct Result: Encodable {
        let isWhole: Bool
        let chains: [AuditChainReport]
    }

    func run() async throws {
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
