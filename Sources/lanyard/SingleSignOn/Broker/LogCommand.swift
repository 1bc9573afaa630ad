import ArgumentParser
import Directory
import Foundation
import SingleSignOnClient
import SingleSignOnWire

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the last requests: who asked, which extension, what came of it and why.",
        discussion: "URLs are without query, and nothing in it is a token.")

    @OptionGroup var output: OutputOptions

    @Flag(help: "Go on with each request that ends, until Ctrl-C. With --json, one object a line.")
    var follow = false

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            guard follow else {
                let entries = try await broker.log()
                return try output.print(entries) { entries.map(Self.line).joined(separator: "\n") }
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            for try await entry in broker.logEntries() {
                let line =
                    output.json
                    ? String(decoding: try encoder.encode(entry), as: UTF8.self) : Self.line(entry).printable()
                FileHandle.standardOutput.write(Data("\(line)\n".utf8))
            }
            throw BrokerUnavailable(socketPath: broker.socketPath, reason: "it has ended")
        }
    }

    private static func line(_ entry: BrokerLogEntry) -> String {
        let time = entry.time.formatted(.iso8601.time(includingFractionalSeconds: false))
        let what = entry.operation.isEmpty ? "web" : entry.operation
        var words = [
            time, "\(entry.milliseconds) ms", what, entry.url, entry.outcome.rawValue, "(\(entry.reason.rawValue))",
        ]
        if !entry.caller.isEmpty { words.append("for \(entry.caller)") }
        if let name = entry.extension { words.append("by \(name)") }
        if let detail = entry.detail { words.append("– \(detail)") }
        return words.joined(separator: "  ")
    }
}
