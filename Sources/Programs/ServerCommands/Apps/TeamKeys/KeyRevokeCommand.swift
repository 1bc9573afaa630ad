import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct KeyRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a key: nothing that it has signed is accepted any more.",
        discussion: "It acts on the next call. Make the team a new key first if its apps shall go on working.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The key id.")
    var key: String

    func run() async throws {
        let keyID = key
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                guard let key = try TeamKey.find(keyID, in: transaction) else {
                    throw Failure("There is no key “\(keyID)”. `lanyard key list` shows the keys.")
                }
                guard try key.revoke(at: now, in: transaction) else {
                    throw Failure("The key \(keyID) was revoked before.")
                }
                try AuditEntry(
                    .keyRevoked, by: .operator, on: "key:\(keyID)", outcome: .done, from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return try KeyReport(key, in: transaction)
            }
        }
        try output.print(report) { "Revoked the key \(report.keyID), “\(report.name)”, of \(report.teamName)" }
    }
}
