#if canImport(Glibc)
    import Glibc
#endif

/// The networks that this machine is in, and the routers by which it leaves them. Another one means that others can be reached.
///
/// Its own addresses are no part of that: it gets another one in the same network at any time, such as the temporary addresses of
/// IPv6, and each renewal of a lease makes an address known once more.
package enum Networks {
    /// - Returns: a text for each, such as `eth0 c0000200/24` for 192.0.2.0/24 and `eth0 via 010200C0` for a router, as the kernel
    ///   writes it. Without networks of the machine itself and of single links.
    package static func current() -> Set<String> {
        func text(_ name: String) -> String { ProcessFile.read("/proc/net/\(name)", bytesMax: 16 << 20) ?? "" }
        return networks().union(routers(ofVersion4: text("route"), ofVersion6: text("ipv6_route")))
    }

    private static func networks() -> Set<String> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: Set<String> = []
        var next = first
        while let one = next?.pointee {
            next = one.ifa_next
            // Without a cable nobody is reached, though the address stays.
            let isUsed = one.ifa_flags & UInt32(IFF_UP) != 0 && one.ifa_flags & UInt32(IFF_RUNNING) != 0
            guard isUsed, let address = bytes(one.ifa_addr), let mask = bytes(one.ifa_netmask),
                let network = network(address, mask)
            else { continue }
            found.insert("\(String(cString: one.ifa_name)) \(network)")
        }
        return found
    }

    private static func bytes(_ address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
        guard let address else { return nil }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: return withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6: return withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }

    /// - Returns: the network's part of an address, in hexadecimal, and its length; nil for the machine itself and a single link.
    static func network(_ address: [UInt8], _ mask: [UInt8]) -> String? {
        guard address.count == mask.count else { return nil }
        let isOwn =
            address.count == 4
            ? address[0] == 127 || address[0] == 169 && address[1] == 254
            : address == Array(repeating: 0, count: 15) + [1] || address[0] == 0xFE && address[1] & 0xC0 == 0x80
        guard !isOwn else { return nil }
        let length = mask.reduce(0) { $0 + $1.nonzeroBitCount }
        return "\(zip(address, mask).map { $0 & $1 }.hexadecimal)/\(length)"
    }

    /// Reads the files in which the kernel lists routes: those by which everything else is reached have a prefix of length 0.
    static func routers(ofVersion4 first: String, ofVersion6 second: String) -> Set<String> {
        func isUsed(_ flags: Substring) -> Bool {
            // RTF_UP, and not RTF_REJECT.
            UInt32(flags, radix: 16).map { $0 & 0x1 != 0 && $0 & 0x200 == 0 } ?? false
        }
        var found: Set<String> = []
        for line in first.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count >= 8, words[1] == "00000000", words[7] == "00000000", isUsed(words[3]) else { continue }
            found.insert("\(words[0]) via \(words[2])")
        }
        for line in second.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 10, words[1] == "00", words[0].allSatisfy({ $0 == "0" }), isUsed(words[8]) else {
                continue
            }
            found.insert("\(words[9]) via \(words[4])")
        }
        return found
    }
}

/// Tells networks that are new from those that were there.
package struct NetworkChanges {
    private var known: Set<String>

    package init(_ known: Set<String>) { self.known = known }

    /// Takes note of what is gone, so that it is new when it comes back.
    package mutating func lose(_ now: Set<String>) { known.formIntersection(now) }

    /// - Returns: whether some are new.
    package mutating func take(_ now: Set<String>) -> Bool {
        defer { known = now }
        return !now.isSubset(of: known)
    }
}
