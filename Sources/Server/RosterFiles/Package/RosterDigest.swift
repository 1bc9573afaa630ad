import Crypto
import Foundation
import Ground

/// SHA-256 over the six files, one after the other. The lengths are hashed too, so that no two sets of files give the
/// same sequence of bytes.
struct RosterDigest {
    private var hash = SHA256()
    private var bytesOfFile = 0

    /// - Parameter bytes: the next bytes of the file.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
        bytesOfFile += bytes.count
    }

    /// Ends a file, also one that is missing.
    mutating func end(_ file: RosterFile) {
        hash.update(data: Data("\(file.name):\(bytesOfFile)\n".utf8))
        bytesOfFile = 0
    }

    /// In hexadecimal.
    func finalized() -> String { Array(hash.finalize()).hexadecimal }
}
