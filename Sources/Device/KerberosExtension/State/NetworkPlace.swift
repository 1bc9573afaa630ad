import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where this computer is: its networks, their routers, and its name servers. Two places with the same text are one place.
enum NetworkPlace {
    static func current() -> String {
        let servers = (try? String(contentsOf: URL(filePath: "/etc/resolv.conf"), encoding: .utf8)) ?? ""
        let asked = servers.split(separator: "\n").filter { $0.hasPrefix("nameserver") }
        return (Networks.current().sorted() + asked.map(String.init)).joined(separator: "\n")
    }
}
