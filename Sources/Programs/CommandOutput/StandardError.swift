import Foundation
import Ground

/// Prints a line to the standard error. Whatever others have put into it cannot steer the terminal.
package func printToStandardError(_ line: String) {
    FileHandle.standardError.write(Data("\(line.printable(keepsLines: true))\n".utf8))
}
