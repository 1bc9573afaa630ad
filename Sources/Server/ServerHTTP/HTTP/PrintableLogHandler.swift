import Directory
import Ground
import Logging

/// Escapes control characters in log lines as `\u{a}`: reasons quote what a client has sent, which must not begin a
/// line of its own or change the direction of a terminal's text.
package struct PrintableLogHandler: LogHandler {
    private var base: any LogHandler

    package init(_ base: any LogHandler) { self.base = base }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue.mapValues(Self.printable) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue.map(Self.printable) }
    }

    package func log(event: LogEvent) {
        var event = event
        event.message = "\(event.message.description.printable())"
        event.metadata = event.metadata?.mapValues(Self.printable)
        base.log(event: event)
    }

    private static func printable(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        switch value {
        case .string(let text): .string(text.printable())
        case .stringConvertible(let value): .string(value.description.printable())
        case .array(let values): .array(values.map(printable))
        case .dictionary(let values): .dictionary(values.mapValues(printable))
        }
    }
}
