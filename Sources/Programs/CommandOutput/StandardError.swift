import Ground

/// Prints a line to the standard error. Whatever others have put into it cannot steer the terminal.
package func printToStandardError(_ line: String) {
    StandardOutput.error.write("\(line.printable(keepsLines: true))\n".utf8)
}
