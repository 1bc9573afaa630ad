import ArgumentParser
import Directory
import Foundation

/// `--json` where a script would want it.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    var json = false

    /// Prints `value` as JSON, or the lines of `text`.
    func print(_ value: some Encodable, text: () -> String) throws {
        guard json else {
            let text = text().printable(keepsLines: true)
            if !text.isEmpty { Swift.print(text) }
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

/// A mistake of the person at the command line, or something that they can mend. Printed as it is, without a
/// stack or a type; the exit code is 1.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description.printable(keepsLines: true) }
}

extension ExitCode {
    /// What was read has defects; nothing was changed.
    static let defects = ExitCode(2)
    /// Waits for approval; nothing was changed.
    static let held = ExitCode(3)
}
