#if canImport(Glibc)
import Glibc
#endif

/// Files of `/proc`, whose size nobody knows before their end.
enum ProcessFile {
    /// - Returns: nil if it cannot be read.
    static func read(_ path: String, bytesMax: Int = 65_536) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
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
