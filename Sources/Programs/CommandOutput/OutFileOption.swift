import ArgumentParser
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `--out`, for commands that write one file.
package struct OutFileOption: ParsableArguments {
    @Option(help: "The file; standard output if it is left out.", completion: .file())
    package var out: String?

    package init() {}

    /// Writes the file atomically and reports that, or prints `content` if no file is given.
    /// - Throws: ``Failure`` if the file cannot be written; an existing file then stays as it was.
    package func write(_ content: Data) throws {
        guard let out else { return StandardOutput.output.write(content) }
        do {
            try content.write(to: URL(fileURLWithPath: out), options: .atomic)
        } catch {
            throw Failure("\(out) cannot be written.")
        }
        print("Wrote \(out.printable()).")
    }
}
