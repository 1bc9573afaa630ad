import ArgumentParser
import Ground

/// A mistake of the person at the command line, or something that they can mend. Printed as it is, without a
/// stack or a type; the exit code is 1.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description.printable(keepsLines: true) }
}

extension ExitCode {
    /// What was read has defects; nothing was changed.
    package static let defects = ExitCode(2)
    /// Waits for approval; nothing was changed.
    package static let held = ExitCode(3)
}
