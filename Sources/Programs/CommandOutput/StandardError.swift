import Ground

/// Prints a line to the standard error, with control characters escaped: text from others must not control the
/// terminal.
package func printToStandardError(_ line: String) {
    StandardOutput.error.write("\(line.printable(keepsLines: true))\n".utf8)
}
