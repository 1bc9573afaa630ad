import Glibc

/// The bytes of a file on disk.
final class FileStream: ByteStream {
    private let descriptor: Int32
    private let isOwned: Bool

    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        isOwned = true
        guard descriptor >= 0 else { throw Self.failure() }
    }

    /// - Parameter descriptor: an open file, which the caller closes.
    init(reading descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.failure() }
        }
    }

    private static func failure() -> UnreadableFile {
        if errno == ELOOP {
            return UnreadableFile(
                code: .unreadableFile, message: "The file is a link.",
                remedy: "Put the file itself into the folder: a link could lead to one that is not for this import.")
        }
        return UnreadableFile(
            code: .unreadableFile, message: "The file cannot be read: \(String(cString: strerror(errno))).",
            remedy: "Check its permissions and the disk.")
    }
}
