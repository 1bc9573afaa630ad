import Ground

#if canImport(Glibc)
    import Glibc
#endif

/// Writes one line to standard error, which the broker keeps as the extension's log. It is a single write, so that
/// lines of several threads do not mix. Never pass a secret.
@Sendable package func writeToLog(_ line: String) {
    writeToStandardError(line.inOneLine() + "\n")
}

package func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}
