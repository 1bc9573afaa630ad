import Foundation
import NIOPosix
import NameServers

/// Finds an address to which a notification may be sent: a machine on the Internet, and not one in the server's own
/// network, whatever the name resolves to at present. This is checked for each delivery, and the connection goes to the
/// address that was checked.
enum PublicAddresses {
    struct Refusal: Error, Equatable, CustomStringConvertible {
        let host: String
        let reason: String
        var description: String { "\(host) \(reason)" }
    }

    /// The first address of a host that is public.
    /// - Parameter host: a name or an address, without brackets.
    /// - Throws: ``Refusal``
    static func find(
        _ host: String, resolve: @escaping @Sendable (String) throws -> [String] = resolve
    ) async throws -> String {
        // The resolver blocks its thread.
        let all = try await NIOThreadPool.singleton.runIfActive { try resolve(host) }
        guard !all.isEmpty else { throw Refusal(host: host, reason: "has no address") }
        guard let found = all.first(where: isPublic) else {
            throw Refusal(host: host, reason: "leads into a private network, to \(all[0])")
        }
        return found
    }

    /// Whether an address can be reached from the Internet, according to IANA's registries of special-purpose addresses
    /// (RFC 6890). In IPv6, everything that is not global unicast, or that contains an IPv4 address, is refused.
    static func isPublic(_ address: String) -> Bool {
        guard !refused.contains(where: { $0.contains(address) }) else { return false }
        return !address.contains(":") || globalUnicast.contains(address)
    }

    private static let refused = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].map { AddressRange($0)! }  // the literals above are valid

    private static let globalUnicast = AddressRange("2000::/3")!

    private static func resolve(_ host: String) throws -> [String] {
        do {
            return try SocketAddress.find(host: host).compactMap(\.numbers)
        } catch let unresolved as SocketAddress.Unresolved {
            throw Refusal(host: host, reason: "is not found: \(unresolved.reason)")
        }
    }
}
