#if canImport(Glibc)
    import Glibc
#endif

/// Reads files of `/proc`, whose size is not known before they are read.
package enum ProcessFile {
    /// - Returns: at most about `bytesMax` bytes, or nil if the file cannot be read or is not a regular file. A
    ///   process can put anything below `/proc/…/root`, and a pipe there must not make the broker wait.
    package static func read(_ path: String, bytesMax: Int = 65_536) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < bytesMax {
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
