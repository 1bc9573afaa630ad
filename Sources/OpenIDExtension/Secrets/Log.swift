#if canImport(Glibc)
    import Glibc
#endif

/// To standard error, which the broker keeps as the extension's log. One write for a line, so that lines of several
/// threads do not mix. Never with a secret.
@Sendable func writeToLog(_ line: String) {
    // A provider's words may be in it, which must not tell a terminal anything.
    var text = ""
    for scalar in line.unicodeScalars {
        text.unicodeScalars.append(
            scalar.properties.generalCategory == .control && scalar != "\n" ? "\u{fffd}" : scalar)
    }
    text += "\n"
    text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}
