import Directory
import Foundation
import Ground

/// An address that an app registers: the checks that all of them have in common.
///
/// The addresses are used in headers and on pages. So the host has to be spelled out as a domain name; one that only
/// becomes a domain name by decoding is refused.
package struct AppAddress {
    let scheme: String
    /// In brackets if it is an IPv6 address.
    let host: String
    let path: String

    /// Completes the sentence "… is no return URL: …".
    struct Refusal: Error {
        let reason: String
    }

    var isLoopback: Bool { Loopback.contains(host: host) }

    /// - Parameter example: a valid address, for the error message.
    /// - Throws: ``Refusal``
    init(_ text: String, example: String) throws {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw Refusal(reason: "percent-encode it") }
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.encodedHost, !host.isEmpty,
            text.utf8.count <= 2_048
        else { throw Refusal(reason: "write a whole address such as \(example)") }
        guard url.fragment == nil else { throw Refusal(reason: "it may not have a fragment (#)") }
        guard url.user == nil, url.password == nil else { throw Refusal(reason: "it may not name a user") }
        guard (1...65_535).contains(url.port ?? 1) else { throw Refusal(reason: "its port is from 1 to 65535") }
        self.scheme = scheme.lowercased()
        self.host = host
        path = url.path
    }

    /// The origin of an address as browsers write it: in lower case, without the default port of the scheme. Nil for an
    /// address without a host. RFC 6454 §6.2.
    package static func origin(of text: String) -> String? {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.encodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        let usual = ["http": 80, "https": 443][scheme]
        return "\(scheme)://\(host)" + (url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? "")
    }

    /// - Throws: ``Refusal`` unless the host is the name of a machine on the Internet.
    func requireDomainName() throws {
        guard Self.isDomainName(host) else { throw Refusal(reason: "it must have a domain name, not an IP address") }
    }

    /// Whether a host is the name of a machine on the Internet, and no IP address.
    static func isDomainName(_ host: String) -> Bool {
        !endsInNumber(host) && (try? FieldRule.domainName.check(host, field: "")) == host
    }

    /// Browsers treat a host that ends in a number as an IPv4 address, even in hexadecimal.
    static func endsInNumber(_ host: String) -> Bool {
        let last = host.split(separator: ".").last ?? ""
        return last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
    }
}
