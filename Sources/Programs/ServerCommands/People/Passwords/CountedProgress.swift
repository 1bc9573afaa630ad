import Foundation
import Synchronization

/// How many of many are done, on a terminal that shows the standard error. Nothing is shown elsewhere.
final class CountedProgress: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let things: String
    private let shown = Mutex(-1)

    init(of things: String) { self.things = things }

    func show(done: Int, of total: Int) {
        guard isTerminal, total > 0 else { return }
        let percent = done * 100 / total
        let isNew = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        if isNew { write("\r\(done) of \(total) \(things)\u{1b}[K") }
    }

    /// Clears the line.
    func end() {
        if isTerminal { write("\r\u{1b}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
