import Ground

/// URL prefixes, found by the bytes of an origin and a path.
///
/// Each origin, and each path of whole segments below it on which a prefix lies, is a node, in one table by a hash of its
/// bytes: a look-up hashes the origin, and one segment after the other for as long as a node leads further. Bytes are
/// compared once, at the end. The hash needs no secret: what is in the table comes from profiles.
struct PrefixTable: Sendable {
    private struct Node {
        /// Of a prefix that ends here; -1 for none.
        var whole: Int32 = -1
        /// Of a prefix that ends with a slash behind this.
        var folder: Int32 = -1
        var leadsFurther = false
    }

    /// The canonical bytes of each prefix: origin, and path.
    private var prefixes: [[UInt8]] = []
    private var keys: [UInt64]
    private var nodes: [Node]

    /// - Parameter urls: of two that are the same the first counts. A result is a place in this list.
    init(_ urls: [WebURL]) {
        // A node for each segment, and half of the places free.
        let count = urls.reduce(1) { $0 + 2 + $1.path.utf8.count { $0 == UInt8(ascii: "/") } }
        let capacity = 1 << (UInt64.bitWidth - UInt64(2 * count).leadingZeroBitCount)
        keys = Array(repeating: 0, count: capacity)
        nodes = Array(repeating: Node(), count: capacity)
        for (index, url) in urls.enumerated() {
            prefixes.append(Array(url.origin.description.utf8) + Array(url.path.utf8))
            insert(Int32(index), origin: Array(url.origin.description.utf8), path: Array(url.path.utf8))
        }
    }

    private mutating func insert(_ index: Int32, origin: [UInt8], path: [UInt8]) {
        var state = origin.withUnsafeBufferPointer { Self.hash($0, 0..<$0.count, 0) }
        var place = place(of: state)
        keys[place] = state
        var segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isFolder = segments.last?.isEmpty == true
        if isFolder { segments.removeLast() }
        for segment in segments {
            nodes[place].leadsFurther = true
            let bytes = Array(segment)
            state = bytes.withUnsafeBufferPointer { Self.hash($0, 0..<$0.count, state) }
            place = self.place(of: state)
            keys[place] = state
        }
        if isFolder {
            if nodes[place].folder < 0 { nodes[place].folder = index }
        } else if nodes[place].whole < 0 {
            nodes[place].whole = index
        }
    }

    /// The longest prefix, at the borders of segments; nil if none covers the path.
    /// - Parameters:
    ///   - bytes: an origin, and a path behind it.
    ///   - border: where the path begins.
    func longest(_ bytes: UnsafeBufferPointer<UInt8>, pathAt border: Int) -> Int? {
        var state = Self.hash(bytes, 0..<border, 0)
        var place = place(of: state)
        guard keys[place] == state else { return nil }
        var best: Int32 = -1
        var index = border
        while true {
            // Here is a slash, or the end of an empty path, which is one.
            let node = nodes[place]
            if node.folder >= 0 { best = node.folder }
            guard node.leadsFurther, index < bytes.count else { break }
            let start = index + 1
            index = start
            while index < bytes.count, bytes[index] != UInt8(ascii: "/") { index += 1 }
            state = Self.hash(bytes, start..<index, state)
            place = self.place(of: state)
            guard keys[place] == state else { break }
            if nodes[place].whole >= 0 { best = nodes[place].whole }
            if index == bytes.count { break }
        }
        guard best >= 0 else { return nil }
        let prefix = prefixes[Int(best)]
        // An empty path stands for a slash.
        return bytes.starts(with: border == bytes.count ? prefix.dropLast() : prefix[...]) ? Int(best) : nil
    }

    /// Where a key is, or would be. One place at least is free.
    private func place(of key: UInt64) -> Int {
        let mask = keys.count - 1
        var place = Int(truncatingIfNeeded: key) & mask
        while keys[place] != key, keys[place] != 0 { place = (place + 1) & mask }
        return place
    }

    /// Never zero, which marks a free place.
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ seed: UInt64) -> UInt64 {
        var state = seed &+ 0x9E37_79B9_7F4A_7C15 &+ UInt64(range.count)
        var index = range.lowerBound
        while index + 8 <= range.upperBound {
            let word = UnsafeRawPointer(bytes.baseAddress! + index).loadUnaligned(as: UInt64.self)
            state = mix(state ^ word)
            index += 8
        }
        var rest: UInt64 = 0
        while index < range.upperBound {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        state = mix(state ^ rest)
        return (state ^ state >> 29) | 1
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xBF58_476D_1CE4_E5B9)
        return product.high ^ product.low
    }
}
