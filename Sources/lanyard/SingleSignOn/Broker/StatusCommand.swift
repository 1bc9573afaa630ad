import ArgumentParser
import SingleSignOnClient
import SingleSignOnWire

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show which profiles count, what they cover and which extensions there are.",
        discussion: "Exit code 6 if there is no broker.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            let status = try await broker.status()
            try output.print(status) {
                var parts = [
                    Table.fields([
                        ("broker", "process \(status.processIdentifier), version \(status.version)"),
                        ("socket", broker.socketPath),
                    ])
                ]
                if status.profiles.isEmpty {
                    parts.append("No profile is installed.")
                } else {
                    parts.append(
                        Table.text(
                            ["PROFILE", "NAME", "STORE", "FILE", "PROBLEM"],
                            status.profiles.map {
                                [$0.identifier, $0.name ?? "", $0.store, $0.source, $0.problem ?? ""]
                            }))
                }
                if !status.urls.isEmpty {
                    parts.append("Covered now:\n" + status.urls.map { "  \($0)" }.joined(separator: "\n"))
                }
                if !status.extensions.isEmpty {
                    parts.append(
                        Table.text(["EXTENSION", "STATE"], status.extensions.map { [$0.identifier, $0.state] }))
                }
                return parts.joined(separator: "\n\n")
            }
        }
    }
}
