import ArgumentParser
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// `--yes` and `--dry-run`, for commands that can take something away from many people at once.
package struct ConfirmationOptions: ParsableArguments {
    @Flag(help: "Do it without asking, also where people or apps lose something.")
    package var yes = false

    @Flag(help: "Say what would end, and change nothing.")
    package var dryRun = false

    package init() {}

    package func validate() throws {
        guard !(yes && dryRun) else { throw ValidationError("--yes and --dry-run contradict each other.") }
    }

    /// Asks for confirmation at a terminal. Without a terminal nobody can answer, so `--yes` is required.
    /// - Parameter consequences: one sentence for each thing that would end. If there is none, no confirmation is
    ///   needed.
    /// - Throws: ``Failure`` if it is not confirmed; the caller must then change nothing.
    package func confirm(_ consequences: [String]) throws {
        guard !consequences.isEmpty, !yes else { return }
        let lines = consequences.map { "  \($0)" }.joined(separator: "\n").printable(keepsLines: true)
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw Failure("Nothing was changed. This would end:\n\n\(lines)\n\nAdd --yes if that is what you want.")
        }
        StandardOutput.error.write("This would end:\n\n\(lines)\n\nGo on? [y/N] ".utf8)
        guard ["y", "yes"].contains(readLine()?.trimmingSpaces.lowercased()) else {
            throw Failure("Nothing was changed.")
        }
    }
}
