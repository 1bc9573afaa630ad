import Ground

/// A table that finds the longest URL prefix for the bytes of an origin and a path.
///
/// Each origin is a node, and so is each path of whole segments on the way to a prefix. All nodes are in one hash
/// table, with the hash of their bytes as key: a look-up hashes the origin, then one segment after the other as long as
/// there are longer prefixes, and compares bytes once at the end. The hash needs no secret, because only profiles put
/// entries into the table.
struct PrefixTable: Sendable {
    private struct Node {
        /// Index of the prefix that ends here; -1 if there is none.
        var whole: Int32 = -1
        /// Index of the prefix that ends here with a slash; -1 if there is none.
        var folder: Int32 = -1
        var leadsFurther = false
    }

    /// The canonical bytes of each prefix: origin followed by path.
    private var prefixes: [[UInt8]] = []
    private var keys: [UInt64]
    private var nodes: [Node]

    /// - Parameter urls: the prefixes; of two equal ones the first counts. Results are indexes into this list.
    init(_ urls: [WebURL]) {
        // Room for one node for each segment, with half of the places free.
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

    /// The index of the longest prefix that ends at a segment; nil if none covers the path.
    /// - Parameters:
    ///   - bytes: an origin followed by a path.
    ///   - border: the index at which the path begins.
    func longest(_ bytes: UnsafeBufferPointer<UInt8>, pathAt border: Int) -> Int? {
        var state = Self.hash(bytes, 0..<border, 0)
        var place = place(of: state)
        guard keys[place] == state else { return nil }
        var best: Int32 = -1
        var index = border
        while true {
            // `index` is at a slash, or at the end of an empty path, which counts as a slash.
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
        // An empty path counts as a slash.
        return bytes.starts(with: border == bytes.count ? prefix.dropLast() : prefix[...]) ? Int(best) : nil
    }

    /// The place of a key, or the free place for it. There is always a free one.
    private func place(of key: UInt64) -> Int {
        let mask = keys.count - 1
        var place = Int(truncatingIfNeeded: key) & mask
        while keys[place] != key, keys[place] != 0 { place = (place + 1) & mask }
        return place
    }

    /// Never returns 0, which marks a free place.
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
