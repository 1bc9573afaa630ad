import Foundation

/// The address of an app's server that gets notifications: `https`, with a domain name of the Internet and a path. A
/// development server also takes loopback, with `http` too, and names of private networks.
package struct NotificationURL: Hashable, Sendable {
    package let text: String

    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let text: String
        package let reason: String
        package var description: String { "“\(text)” is no notification URL: \(reason)." }
    }

    /// - Throws: ``Problem``
    package init(_ text: String, allowingLoopback: Bool) throws {
        do {
            let address = try AppAddress(text, example: "https://quizzler.example/notifications")
            guard !address.path.isEmpty else { throw AppAddress.Refusal(reason: "it must have a path, if only /") }
            switch address.scheme {
            case "https" where address.isLoopback, "http" where address.isLoopback:
                guard allowingLoopback else {
                    throw AppAddress.Refusal(reason: "loopback is for a development server (`--development`)")
                }
            case "https":
                try address.requireDomainName()
                guard allowingLoopback || !Self.isPrivate(address.host) else {
                    throw AppAddress.Refusal(
                        reason: "its name is one of a private network; with `--development` it is taken all the same")
                }
            default: throw AppAddress.Refusal(reason: "it must begin with https://")
            }
        } catch let refusal as AppAddress.Refusal {
            throw Problem(text: text, reason: refusal.reason)
        }
        self.text = text
    }

    /// Names that are reserved for private networks: RFC 6762 §3 and appendix G, RFC 8375, and `internal`, which ICANN
    /// has reserved.
    private static func isPrivate(_ host: String) -> Bool {
        let name = "." + host.lowercased()
        return ["local", "internal", "intranet", "private", "corp", "home", "lan", "localdomain", "home.arpa"]
            .contains { name.hasSuffix(".\($0)") }
    }
}
