#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// Where this computer is in the network: its addresses and its name servers. Two places with the same text are one place.
enum NetworkPlace {
    static func current() -> String {
        let servers = (try? String(contentsOf: URL(filePath: "/etc/resolv.conf"), encoding: .utf8)) ?? ""
        let asked = servers.split(separator: "\n").filter { $0.hasPrefix("nameserver") }
        return (addresses().sorted() + asked.map(String.init)).joined(separator: "\n")
    }

    /// The addresses of interfaces that are up, but for those of the machine itself and of single links.
    private static func addresses() -> Set<String> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: Set<String> = []
        var next = first
        while let one = next?.pointee {
            next = one.ifa_next
            guard one.ifa_flags & UInt32(IFF_UP) != 0, let address = one.ifa_addr else { continue }
            let size: Int
            switch Int32(address.pointee.sa_family) {
            case AF_INET: size = MemoryLayout<sockaddr_in>.size
            case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
            default: continue
            }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else {
                continue
            }
            let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !name.hasPrefix("127."), name != "::1", !name.hasPrefix("fe80:") { found.insert(name) }
        }
        return found
    }
}
