import Foundation
import Ground
import Logging

/// Writes each entry as one line to the standard error, with line breaks and control characters replaced. For the
/// journal the level comes first, as in sd-daemon(3), so that `journalctl --priority` works.
struct BrokerLogHandler: LogHandler {
    private let label: String
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(label: String) {
        self.label = label
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var handler = StreamLogHandler(
            label: label, stream: Line(prefix: Self.isJournal ? "<\(event.level.priority)>" : ""))
        handler.metadata = metadata
        handler.log(event: event)
    }

    /// Whether the standard error is the journal's socket. systemd.exec(5), `JOURNAL_STREAM`.
    private static let isJournal: Bool = {
        var status = stat()
        guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0
        else {
            return false
        }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }()

    /// Writes a line with one call, so that the lines of several processes do not mix.
    private struct Line: TextOutputStream {
        let prefix: String

        func write(_ text: String) {
            let line = prefix + String(text.unicodeScalars.dropLast()).inOneLine()
            try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
        }
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
