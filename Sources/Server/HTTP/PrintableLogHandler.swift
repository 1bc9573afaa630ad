import Logging

/// Keeps a log of lines a log of lines: what a client sent is quoted in reasons and must not begin a line of its own,
/// nor turn a terminal's text around. Such characters are written as `\u{a}`.
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
        event.message = "\(Self.printable(event.message.description))"
        event.metadata = event.metadata?.mapValues(Self.printable)
        base.log(event: event)
    }

    private static func printable(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        switch value {
        case .string(let text): .string(printable(text))
        case .stringConvertible(let value): .string(printable(value.description))
        case .array(let values): .array(values.map(printable))
        case .dictionary(let values): .dictionary(values.mapValues(printable))
        }
    }

    private static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
