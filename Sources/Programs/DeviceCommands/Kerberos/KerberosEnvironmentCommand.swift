import ArgumentParser
import CommandOutput
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct KerberosEnvironmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "Print the variable with which curl, git, ssh and other programs find the extension's tickets.",
        discussion: """
            For a shell: `export $(lanyard-sso kerberos environment)`. Sessions of systemd have it from environment.d. Exit \
            code 6 if there is no broker.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reportingSingleSignOn {
            let status = try await BrokerClient().status()
            guard let folder = status.stateFolder else {
                throw SingleSignOnFailure(.failure, "The broker is an older one, and does not say where its files are.")
            }
            let own = ExtensionProtocol.dataFolder(of: KerberosKeys.extensionIdentifier, in: folder)
            let value = Self.configuration(
                own: "\(own)/\(ExtensionProtocol.kerberosProgramsFile)",
                before: ProcessInfo.processInfo.environment["KRB5_CONFIG"])
            try output.print(["KRB5_CONFIG": value]) { "KRB5_CONFIG=\(value)" }
        }
    }

    /// The extension's file before those that counted until now.
    static func configuration(own: String, before: String?) -> String {
        let others = (before ?? "").split(separator: ":").map(String.init).filter { $0 != own }
        return ([own] + (others.isEmpty ? ["/etc/krb5.conf"] : others)).joined(separator: ":")
    }
}
