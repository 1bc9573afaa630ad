import Foundation

/// Identifies a file and its state, to notice that it was replaced or changed.
struct FileIdentity: Equatable {
    let device: UInt
    let inode: UInt
    let bytes: Int
    private let modifiedSeconds: Int
    private let modifiedNanoseconds: Int

    /// - Returns: nil if the descriptor is not an open file.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        bytes = Int(status.st_size)
        modifiedSeconds = status.st_mtim.tv_sec
        modifiedNanoseconds = status.st_mtim.tv_nsec
    }
}
