#if canImport(Glibc)
    import Glibc
#endif

/// Where a program writes bytes as they are, at once.
package enum StandardOutput: Int32 {
    case output = 1
    case error = 2

    /// A reader that has gone is no mistake of the program: the rest is left out.
    package func write(_ bytes: some Sequence<UInt8>) {
        // What `print` has kept back comes first.
        if self == .output { fflush(nil) }
        _ = writeAll(bytes, to: rawValue)
    }
}

/// - Returns: false if the file takes no more; `errno` says why.
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
