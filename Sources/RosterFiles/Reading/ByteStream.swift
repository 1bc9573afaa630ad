/// The bytes of one file, front to back.
package protocol ByteStream: AnyObject {
    /// Fills the beginning of `buffer`, not necessarily all of it.
    /// - Returns: the number of bytes written; 0 at the end of the file.
    /// - Throws: ``UnreadableFile``
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// Why no more bytes can be had from a file.
package struct UnreadableFile: Error {
    let code: Defect.Code
    let message: String
    let remedy: String
}
