/// Steele, Lea and Flood's SplitMix64: small, fast, and the same on every machine and Swift version,
/// which the standard library's random algorithms do not promise.
struct SplitMix64 {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// An independent sequence for one item, so that any item can be made without those before it.
    /// The index is mixed first: neighbouring seeds would otherwise give shifted copies of one sequence.
    init(seed: UInt64, stream: Stream, index: Int) {
        state = Self.mix(seed ^ Self.mix(stream.rawValue &+ UInt64(index)))
    }

    /// What is being drawn; the high bits keep the indices of different streams apart.
    enum Stream: UInt64 {
        case person = 0x0100_0000_0000_0000
        case instructors = 0x0200_0000_0000_0000
        case displayName = 0x0300_0000_0000_0000
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number in `0..<bound`. The bias is below one in 2^32 for the small bounds used here.
    mutating func next(below bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// True once in `count` draws on average.
    mutating func once(in count: Int) -> Bool {
        next(below: count) == 0
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
