/// The bytes of one file, front to back.
package protocol ByteStream: AnyObject {
    /// Fills the beginning of `buffer`, not necessarily all of it.
    /// - Returns: the number of bytes written; 0 at the end of the file.
    /// - Throws: ``UnreadableFile``
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension ByteStream {
    /// The first bytes, as many as there are and not more than asked for.
    func head(bytesMax: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            while count < bytesMax {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let bytes = try self.read(into: rest)
                if bytes == 0 { break }
                count += bytes
            }
        }
    }
}

/// Thrown when a file cannot be read any further.
package struct UnreadableFile: Error {
    let code: Defect.Code
    let message: String
    let remedy: String
}
