import Ground
import Logging

/// Writes each entry as one line to the standard error, with line breaks and control characters replaced. For the
/// journal the level comes first, so that `journalctl --priority` works.
package struct LineLogHandler: LogHandler {
    private let label: String
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]

    package init(label: String) {
        self.label = label
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var handler = StreamLogHandler(label: label, stream: Line(prefix: JournalPriority.prefix(of: event.level)))
        handler.metadata = metadata
        handler.log(event: event)
    }

    private struct Line: TextOutputStream {
        let prefix: String

        func write(_ text: String) {
            // With one call, so that the lines of several processes do not mix.
            StandardOutput.error.write("\(prefix)\(String(text.unicodeScalars.dropLast()).inOneLine())\n".utf8)
        }
    }
}
