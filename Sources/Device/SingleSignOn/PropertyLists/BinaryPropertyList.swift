import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads binary property lists, version `00`.
///
/// Foundation's two readers on Linux do not suffice: a damaged file crashes `PropertyListSerialization`, and
/// `PropertyListDecoder` has to try one type after the other and takes minutes for a hostile file. In this format a
/// value can occur in many places, even within itself, so depth and number of values are limited.
struct BinaryPropertyList {
    static let valuesMax = 1_000_000

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private var valuesLeft = valuesMax

    typealias ReadingError = PropertyListValue.ReadingError

    static func read(_ data: Data) throws(ReadingError) -> PropertyListValue {
        let (list, top) = try open([UInt8](data))
        var reader = list
        return try reader.value(top, depth: 0)
    }

    /// The trailer in the last 32 bytes says where everything is.
    private static func open(_ bytes: [UInt8]) throws(ReadingError) -> (BinaryPropertyList, top: Int) {
        guard bytes.starts(with: "bplist00".utf8), bytes.count >= 8 + 1 + 1 + 32 else { throw damaged }
        let trailer = bytes.count - 32
        let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = number(bytes, at: trailer + 8, size: 8), let top = number(bytes, at: trailer + 16, size: 8),
            let table = number(bytes, at: trailer + 24, size: 8),
            count > 0, table >= 9, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw damaged }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = number(bytes, at: table + index * offsetSize, size: offsetSize),
                (8..<table).contains(offset)
            else { throw damaged }
            offsets.append(offset)
        }
        // All values must be before the offset table.
        return (BinaryPropertyList(bytes: Array(bytes[..<table]), offsets: offsets, referenceSize: referenceSize), top)
    }

    private init(bytes: [UInt8], offsets: [Int], referenceSize: Int) {
        self.bytes = bytes
        self.offsets = offsets
        self.referenceSize = referenceSize
    }

    private static let damaged = ReadingError.broken("it is damaged.")

    private mutating func value(_ reference: Int, depth: Int) throws(ReadingError) -> PropertyListValue {
        guard offsets.indices.contains(reference) else { throw Self.damaged }
        guard depth < PropertyListValue.depthMax else { throw .tooDeep }
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw .broken("it has more than \(Self.valuesMax) values.") }
        let offset = offsets[reference]
        let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        switch (kind, low) {
        case (0x0, 0x8): return .boolean(false)
        case (0x0, 0x9): return .boolean(true)
        case (0x1, 0...3): return .integer(Int64(bitPattern: try bits(at: offset + 1, size: 1 << low)))
        case (0x2, 2): return try .init(real: Double(Float(bitPattern: UInt32(try bits(at: offset + 1, size: 4)))))
        case (0x2, 3): return try .init(real: Double(bitPattern: try bits(at: offset + 1, size: 8)))
        case (0x3, 3):
            let seconds = Double(bitPattern: try bits(at: offset + 1, size: 8))
            guard seconds.isFinite else { throw Self.damaged }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (0x4, _): return .data(Data(try content(at: offset, low, width: 1)))
        case (0x5, _):
            let characters = try content(at: offset, low, width: 1)
            guard characters.allSatisfy({ $0 < 0x80 }) else { throw Self.damaged }
            return .string(String(decoding: characters, as: UTF8.self))
        case (0x6, _):
            let units = Array(try content(at: offset, low, width: 2))
            let text = stride(from: 0, to: units.count, by: 2).map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
            return .string(String(decoding: text, as: UTF16.self))
        case (0xA, _):
            var values: [PropertyListValue] = []
            for reference in try references(at: offset, low, perEntry: 1) {
                values.append(try value(reference, depth: depth + 1))
            }
            return .array(values)
        case (0xD, _):
            let all = try references(at: offset, low, perEntry: 2)
            var entries: [String: PropertyListValue] = [:]
            for index in 0..<all.count / 2 {
                guard case .string(let key) = try value(all[index], depth: depth + 1) else { throw Self.damaged }
                entries[key] = try value(all[all.count / 2 + index], depth: depth + 1)
            }
            return .dictionary(entries)
        default: throw .otherType
        }
    }

    private func bits(at offset: Int, size: Int) throws(ReadingError) -> UInt64 {
        guard offset + size <= bytes.count else { throw Self.damaged }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Where a value's content begins and how many entries it has. A count of 15 means that the number follows.
    private func extent(at offset: Int, _ low: Int) throws(ReadingError) -> (start: Int, count: Int) {
        guard low == 0x0F else { return (offset + 1, low) }
        guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 0x1, bytes[offset + 1] & 0x0F <= 3 else {
            throw Self.damaged
        }
        let size = 1 << Int(bytes[offset + 1] & 0x0F)
        guard let count = Self.number(bytes, at: offset + 2, size: size) else { throw Self.damaged }
        return (offset + 2 + size, count)
    }

    private func content(at offset: Int, _ low: Int, width: Int) throws(ReadingError) -> ArraySlice<UInt8> {
        let (start, count) = try extent(at: offset, low)
        guard start <= bytes.count, count <= (bytes.count - start) / width else { throw Self.damaged }
        return bytes[start..<start + count * width]
    }

    private func references(at offset: Int, _ low: Int, perEntry: Int) throws(ReadingError) -> [Int] {
        let (start, count) = try extent(at: offset, low)
        guard start <= bytes.count, count <= (bytes.count - start) / (referenceSize * perEntry) else {
            throw Self.damaged
        }
        var references: [Int] = []
        for index in 0..<count * perEntry {
            guard let reference = Self.number(bytes, at: start + index * referenceSize, size: referenceSize) else {
                throw Self.damaged
            }
            references.append(reference)
        }
        return references
    }

    /// A big-endian number; nil if it is out of bounds, or too large to be valid.
    private static func number(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard offset >= 0, size <= bytes.count, offset <= bytes.count - size else { return nil }
        return Int(exactly: bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
