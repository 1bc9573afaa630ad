/// A stretch of a file that slides forward: the bytes from `position` on are held until they are consumed.
///
/// It holds at most one row of the longest kind and the chunk that follows, whatever the size of the file.
struct ByteWindow: ~Copyable {
    /// The first byte not consumed.
    private(set) var start: UnsafeMutablePointer<UInt8>
    /// One past the last byte held. There is always one more byte here, which the scanner uses for a sentinel.
    private(set) var end: UnsafeMutablePointer<UInt8>
    /// Whether nothing follows `end` in the file.
    private(set) var reachesEnd = false

    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private let source: any ByteStream
    private let onBytes: (UnsafeRawBufferPointer) throws -> Void

    /// - Parameter onBytes: sees each byte of the file once, in order, as it is read.
    init(
        _ source: any ByteStream, capacity: Int, onBytes: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.source = source
        self.onBytes = onBytes
        self.capacity = capacity
        storage = Self.allocate(capacity)
        start = storage
        end = storage
    }

    deinit {
        storage.deallocate()
    }

    var count: Int { end - start }

    mutating func consume(upTo newStart: UnsafeMutablePointer<UInt8>) {
        start = newStart
    }

    /// Reads on until the window is full or the file ends. Pointers into the window are invalid afterwards.
    mutating func extend() throws {
        let held = count
        if held > capacity / 2 {
            capacity *= 2
            let larger = Self.allocate(capacity)
            larger.update(from: start, count: held)
            storage.deallocate()
            storage = larger
        } else if start != storage {
            storage.update(from: start, count: held)
        }
        start = storage
        end = storage + held
        while !reachesEnd, end < storage + capacity {
            let room = UnsafeMutableRawBufferPointer(start: end, count: storage + capacity - end)
            let count = try source.read(into: room)
            try onBytes(UnsafeRawBufferPointer(rebasing: room[..<count]))
            end += count
            reachesEnd = count == 0
        }
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        let storage = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + 1)
        storage.initialize(repeating: 0, count: capacity + 1)
        return storage
    }
}
