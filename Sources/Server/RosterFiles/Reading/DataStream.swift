import Foundation

/// Bytes that are in memory already.
final class DataStream: ByteStream {
    private var rest: Data

    init(_ data: Data) { rest = data }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = rest.copyBytes(to: buffer)
        rest = rest.dropFirst(count)
        return count
    }
}
