import Foundation
import Ground

/// The unit in which limits by address count: an IPv4 address, or the /64 of an IPv6 address, which is what a single
/// household or school gets.
package struct AddressBlock: Hashable, Sendable {
    /// 4 bytes for IPv4, 8 for IPv6; empty without an address, as over a Unix socket.
    package let bytes: [UInt8]

    package init(_ address: String?) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if let address, inet_pton(AF_INET, address, &v4) == 1 {
            bytes = withUnsafeBytes(of: &v4) { Array($0) }
        } else if let address, inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &v6) == 1 {
            let all = withUnsafeBytes(of: &v6) { Array($0) }
            // RFC 4291 §2.5.5.2: IPv4 that came in through an IPv6 socket.
            let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
            bytes = isMapped ? Array(all.suffix(4)) : Array(all.prefix(8))
        } else {
            bytes = []
        }
    }

    package var hash: SecretHash { SecretHash(of: bytes.map(String.init).joined(separator: ".")) }
}
