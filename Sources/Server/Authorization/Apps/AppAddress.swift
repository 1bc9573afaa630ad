import Directory
import Foundation
import Ground

/// What the addresses that an app registers have in common.
///
/// They go into headers and onto pages, so a host is taken as it is spelled: a domain name, and nothing that only
/// decoding makes one.
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

    /// - Parameter example: of a good one.
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

    /// The origin of an address as browsers write it: in lower case, without the port that the scheme has anyway.
    /// Nil for an address without host. RFC 6454 §6.2.
    package static func origin(of text: String) -> String? {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.encodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        let usual = ["http": 80, "https": 443][scheme]
        return "\(scheme)://\(host)" + (url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? "")
    }

    /// - Throws: ``Refusal`` unless the host is the name of a machine on the Internet.
    func requireDomainName() throws {
        // What ends in a number, browsers take for an IPv4 address, in hexadecimal too.
        let last = host.split(separator: ".").last ?? ""
        let isNumber = last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
        guard !isNumber, (try? FieldRule.domainName.check(host, field: "")) == host else {
            throw Refusal(reason: "it must have a domain name, not an IP address")
        }
    }
}
