/// Counts the bytes unpacked from an archive, over all its files.
final class ArchiveMeter {
    private let limits: ArchiveLimits
    private let archiveBytes: Int
    private var uncompressedBytes = 0

    /// - Parameter archiveBytes: the size of the whole archive. The ratio is taken against that and not against the
    ///   entry's size, because entries can be made to share the same compressed bytes.
    init(limits: ArchiveLimits, archiveBytes: Int) {
        self.limits = limits
        self.archiveBytes = archiveBytes
    }

    func count(_ bytes: Int) throws {
        uncompressedBytes += bytes
        if uncompressedBytes > limits.uncompressedBytesMax {
            throw UnreadableFile(
                code: .archiveTooLarge,
                message: "The six files have more than \(limits.uncompressedBytesMax) bytes together.",
                remedy: "Import them from a folder, or raise the limit.")
        }
        if uncompressedBytes > limits.ratioFreeBytes, uncompressedBytes / limits.ratioMax > archiveBytes {
            throw UnreadableFile(
                code: .suspiciousCompression,
                message: "The archive unpacks to more than \(limits.ratioMax) times its size.",
                remedy: "Check where it comes from; import the files from a folder if it is genuine.")
        }
    }
}
