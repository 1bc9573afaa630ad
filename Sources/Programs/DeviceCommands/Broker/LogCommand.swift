import ArgumentParser
import CommandOutput
import Ground
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the last requests: who asked, which extension, what came of it and why.",
        discussion: "URLs are without query, and nothing in it is a token. Times are in UTC.")

    @OptionGroup var output: OutputOptions

    @Flag(help: "Go on with each request that ends, until Ctrl-C. With --json, one object a line.")
    var follow = false

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            guard follow else {
                let entries = try await broker.log()
                return try output.print(entries) { entries.map(Self.text).joined(separator: "\n") }
            }
            let encoder = JSONEncoder.stable
            encoder.dateEncodingStrategy = .iso8601
            for try await entry in broker.logEntries() {
                let line =
                    output.json
                    ? String(decoding: try encoder.encode(entry), as: UTF8.self).withEscapedControls
                    : Self.text(entry).printable(keepsLines: true)
                StandardOutput.output.write("\(line)\n".utf8)
            }
            throw BrokerUnavailable(socketPath: broker.socketPath, reason: "it has ended")
        }
    }

    /// The outcome on the first line, followed by a line for each longer detail.
    private static func text(_ entry: BrokerLogEntry) -> String {
        let lines = [
            "\(entry.time.formatted(.iso8601))  \(entry.outcome.rawValue) (\(entry.reason.rawValue))"
                + "  \(entry.operation ?? "web")  \(entry.milliseconds) ms",
            "  \(entry.url)", entry.caller.map { "  for \($0)" },
            entry.extension.map { "  by \($0)" }, entry.detail.map { "  \($0)" },
        ]
        return lines.compactMap(\.self).joined(separator: "\n")
    }
}
