/// How many bytes an item of CBOR takes, found without taking memory for it.
///
/// libcbor takes memory for as many members as a head promises before it reads one of them, and nine bytes can promise
/// billions. So the heads are followed first, and only an item that is all there is given to libcbor.
///
/// Authenticators write the form of CTAP2 §8: each length is said at the beginning, and items lie in each other at most
/// four deep. RFC 8949 §3 describes the heads.
struct CBORExtent {
    let byteCount: Int

    /// An attestation with a chain of certificates has three levels, and an extension a few more.
    private static let depthMax = 8

    /// - Returns: nil if the bytes do not begin with a whole item, it does not say its lengths at the beginning, or it
    ///   is too deep.
    init?(startOf bytes: [UInt8]) {
        var position = 0
        guard Self.skipItem(in: bytes, at: &position, depth: 1) else { return nil }
        byteCount = position
    }

    private static func skipItem(in bytes: [UInt8], at position: inout Int, depth: Int) -> Bool {
        guard depth <= depthMax, let head = readHead(in: bytes, at: &position) else { return false }
        let left = bytes.count - position
        switch head.majorType {
        case 0, 1, 7: return true
        case 2, 3:
            guard head.argument <= left else { return false }
            position += Int(head.argument)
            return true
        case 4, 5, 6:
            // Each member takes a byte at least, so that a promise of more than are left is none that can be kept.
            guard head.argument <= left || head.majorType == 6 else { return false }
            let count = head.majorType == 6 ? 1 : Int(head.argument) * (head.majorType == 5 ? 2 : 1)
            for _ in 0..<count {
                guard skipItem(in: bytes, at: &position, depth: depth + 1) else { return false }
            }
            return true
        default: return false
        }
    }

    private static func readHead(in bytes: [UInt8], at position: inout Int) -> (majorType: UInt8, argument: UInt64)? {
        guard position < bytes.count else { return nil }
        let first = bytes[position]
        position += 1
        let short = first & 0x1f
        switch short {
        case 0..<24: return (first >> 5, UInt64(short))
        case 24...27:
            let size = 1 << Int(short - 24)
            guard bytes.count - position >= size else { return nil }
            let argument = bytes[position..<position + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            position += size
            return (first >> 5, argument)
        default: return nil
        }
    }
}
