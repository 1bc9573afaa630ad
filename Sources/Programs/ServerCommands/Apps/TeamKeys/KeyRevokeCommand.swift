import Administration
import ArgumentParser
import CommandOutput

struct KeyRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a key: nothing that it has signed is accepted any more.",
        discussion: "It acts on the next call. Make the team a new key first if its apps shall go on working.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The key id.")
    var key: String

    func run() async throws {
        let record = try await Deployment.administrate(global) { try await $0.perform(RevokeKey(key: key)).answer }
        try output.print(record) { "Revoked the key \(record.keyID), “\(record.name)”, of \(record.teamName)" }
    }
}
