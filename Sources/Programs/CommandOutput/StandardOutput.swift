import Ground

#if canImport(Glibc)
    import Glibc
#endif

/// The standard output or error, written without a buffer and without any change of the bytes.
package enum StandardOutput: Int32 {
    case output = 1
    case error = 2

    /// Ignores errors: if the reader has closed the pipe, the rest is not written.
    package func write(_ bytes: some Sequence<UInt8>) {
        // Write what `print` has buffered first.
        if self == .output { fflush(nil) }
        _ = writeAll(bytes, to: rawValue)
    }
}

/// - Returns: false if not everything could be written; the reason is in `errno`.
package func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

/// Prints a line to the standard error, with commands as the reader runs them, and with control characters escaped: text from others
/// must not control the terminal.
package func printToStandardError(_ line: String) {
    StandardOutput.error.write("\(line.namingCommands().printable(keepsLines: true))\n".utf8)
}
