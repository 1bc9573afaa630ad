import ArgumentParser
import Ground

/// An error that the person at the command line made or can fix. Its description is printed without a type or a stack
/// trace; the exit code is 1.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description.printable(keepsLines: true) }
}

extension ExitCode {
    /// The input has defects; nothing was changed.
    package static let defects = ExitCode(2)
    /// The change needs approval; nothing was changed.
    package static let held = ExitCode(3)
}
