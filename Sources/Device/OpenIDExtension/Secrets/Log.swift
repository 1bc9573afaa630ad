import Ground

#if canImport(Glibc)
    import Glibc
#endif

/// To standard error, which the broker keeps as the extension's log: one line, written at once, so that lines of several
/// threads do not mix. Never with a secret.
@Sendable func writeToLog(_ line: String) {
    writeToStandardError(line.inOneLine() + "\n")
}

func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}
