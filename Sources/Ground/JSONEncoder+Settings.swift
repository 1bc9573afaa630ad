#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONEncoder {
    /// Writes the same value always to the same bytes, on one line: keys in order, slashes as they are.
    package static var stable: JSONEncoder { make([.sortedKeys, .withoutEscapingSlashes]) }

    /// The same with line breaks and indentation, for what people read.
    package static var readable: JSONEncoder { make([.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]) }

    private static func make(_ formatting: OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return encoder
    }
}
