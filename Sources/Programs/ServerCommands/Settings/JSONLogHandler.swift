import CommandOutput
import Foundation
import Ground
import Logging

/// Writes each log entry as a JSON object on a line of the standard error, for log collectors.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line: [String: String] = [:]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) { line[key] = "\(value)" }
        line["time"] = Date().formatted(.iso8601)
        line["level"] = event.level.rawValue
        line["message"] = "\(event.message)"
        guard var data = try? JSONEncoder.stable.encode(line) else { return }
        data.append(UInt8(ascii: "\n"))
        StandardOutput.error.write(JournalPriority.prefix(of: event.level).utf8 + data)
    }
}
