import ArgumentParser
import CommandOutput
import SingleSignOnClient
import SingleSignOnWire

struct ExtensionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extension", abstract: "See and debug extensions.",
        subcommands: [ExtensionListCommand.self, ExtensionDebugCommand.self])
}

struct ExtensionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the extensions on this device and what they do now.",
        discussion: "OPEN are the requests that wait for an answer. With --json, what does not count is in `status`.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reportingSingleSignOn {
            let status = try await BrokerClient().status()
            try output.print(status.extensions) {
                let extensions =
                    status.extensions.isEmpty
                    ? "No extension is installed."
                    : Table.text(
                        ["EXTENSION", "NAME", "STATE", "PROCESS", "OPEN"],
                        status.extensions.map {
                            [
                                $0.identifier, $0.name, $0.stateText, $0.processIdentifier.map(String.init) ?? "",
                                "\($0.openRequests)",
                            ]
                        }, notes: status.extensions.map(\.failureText))
                return [extensions, status.faultyManifestsText].compactMap(\.self).joined(separator: "\n\n")
            }
        }
    }
}

struct ExtensionDebugCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug",
        abstract: "Let the next start of an extension wait for a debugger, and print its process id when it does.",
        discussion: """
            Then send a request, in a browser or with `lanyard-sso request`, and attach as it is printed. Whoever asked \
            waits up to ten minutes.
            """)

    @OptionGroup var output: OutputOptions

    @Argument(help: "The extension's identifier.")
    var identifier: String

    private struct Report: Encodable { let processIdentifier: Int32 }

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            let before = try await process(broker)
            try await broker.debugExtension(identifier)
            printToStandardError("Waiting for the next request to \(identifier).")
            while true {
                if let process = try await process(broker), process != before {
                    return try output.print(Report(processIdentifier: process)) { Self.text(process) }
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private static func text(_ process: Int32) -> String {
        """
        Process \(process) has stopped and waits.
          with gdb       gdb --pid \(process) -ex 'handle SIGSTOP nostop noprint nopass'
                         Set breakpoints, and then: continue
          with lldb      lldb --attach-pid \(process)
          to let it go   kill -CONT \(process)
        """
    }

    private func process(_ broker: BrokerClient) async throws -> Int32? {
        try await broker.status().extensions.first { $0.identifier == identifier }?.processIdentifier
    }
}
