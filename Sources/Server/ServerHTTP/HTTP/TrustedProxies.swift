import Foundation

/// An address, or a network of them in the notation of RFC 4632: `10.0.0.7`, `10.0.0.0/8`, `2001:db8::/32`.
struct AddressRange: Sendable {
    /// 16 bytes; IPv4 addresses are mapped into IPv6.
    private let bytes: [UInt8]
    private let bits: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = Self.bytes(of: String(parts[0])) else { return nil }
        let all = Self.isIPv4(address) ? 32 : 128
        let length = parts.count == 2 ? Int(parts[1]) : all
        guard let length, (0...all).contains(length) else { return nil }
        bytes = address
        bits = 128 - all + length
    }

    func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(of: address) else { return false }
        let whole = bits / 8
        guard other.prefix(whole) == bytes.prefix(whole) else { return false }
        let rest = bits % 8
        return rest == 0 || (other[whole] ^ bytes[whole]) >> (8 - rest) == 0
    }

    private static func bytes(of address: String) -> [UInt8]? {
        var v4 = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, address, &v4) == 1 { return mapping + v4 }
        var v6 = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, address, &v6) == 1 ? v6 : nil
    }

    private static let mapping = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
    private static func isIPv4(_ bytes: [UInt8]) -> Bool { Array(bytes.prefix(12)) == mapping }
}

/// Several addresses and networks.
struct AddressRanges: Sendable {
    private let ranges: [AddressRange]

    /// - Parameter texts: as checked by ``ServerConfiguration/check()``.
    init(_ texts: [String]) { ranges = texts.compactMap(AddressRange.init) }

    func contains(_ address: String) -> Bool { ranges.contains { $0.contains(address) } }
}

/// The proxies whose `X-Forwarded-For` is trusted, and which may have any number of connections, because those of all
/// their clients come through them.
struct TrustedProxies: Sendable {
    private let ranges: AddressRanges

    /// - Parameter texts: addresses and networks, as checked by ``ServerConfiguration/check()``.
    init(_ texts: [String]) { ranges = AddressRanges(texts) }

    func contains(_ address: String) -> Bool { ranges.contains(address) }
}
