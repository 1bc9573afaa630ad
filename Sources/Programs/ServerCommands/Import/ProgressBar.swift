import Foundation
import RosterFiles
import Synchronization

/// The progress of an import: a moving bar on a terminal, otherwise a line for each phase. It is written to the
/// standard error, so that scripts can read the standard output.
final class ProgressBar: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let lastPhase = Mutex<ImportProgress.Phase?>(nil)
    private static let width = 30

    func show(_ progress: ImportProgress) {
        let isNewPhase = lastPhase.withLock { last in
            defer { last = progress.phase }
            return last != progress.phase
        }
        if isTerminal {
            let filled = Int(progress.fraction * Double(Self.width))
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
            let phase = progress.phase.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
            write("\r\(phase) \(bar) \(Int(progress.fraction * 100)) %\u{1b}[K")
        } else if isNewPhase {
            write("\(progress.phase.rawValue)\n")
        }
    }

    /// Clears the bar.
    func end() {
        if isTerminal { write("\r\u{1b}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
