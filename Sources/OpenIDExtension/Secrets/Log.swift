#if canImport(Glibc)
    import Glibc
#endif

/// To standard error, which the broker keeps as the extension's log. One write for a line, so that lines of several
/// threads do not mix. Never with a secret.
@Sendable func writeToLog(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}
