import ArgumentParser
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `--json`, for commands whose output scripts may use.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    package var json = false

    package init() {}

    /// Prints `value` as JSON, or the lines of `text`.
    package func print(_ value: some Encodable, text: () -> String) throws {
        guard json else {
            let text = text().namingCommands().printable(keepsLines: true)
            if !text.isEmpty { Swift.print(text) }
            return
        }
        let encoder = JSONEncoder.readable
        encoder.dateEncodingStrategy = .iso8601
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self).withEscapedControls)
    }
}

extension String {
    /// The JSON with U+007F to U+009F escaped. Encoders leave these controls as they are, and one of them (U+009B)
    /// begins a terminal sequence, as ESC does.
    package var withEscapedControls: String {
        guard unicodeScalars.contains(where: { (0x7f...0x9f).contains($0.value) }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if (0x7f...0x9f).contains(scalar.value) {
                text += "\\u00\(String(scalar.value, radix: 16))"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
