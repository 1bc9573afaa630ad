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

    /// Hands over all bytes, a piece at a time.
    func forEachPiece(_ sink: ByteSink) throws {
        try withUnsafeTemporaryAllocation(byteCount: 64 * 1_024, alignment: 16) { buffer in
            while case let count = try self.read(into: buffer), count > 0 {
                try sink(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
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
