#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The proxy by which a host is reached over HTTPS, as the environment names it: `https_proxy`, or else `all_proxy`, in small letters or
/// else in capitals. `no_proxy` has the hosts, each with all that are below it, that are asked directly; `*` stands for all.
/// These are the rules of [curl](https://curl.se/docs/manpage.html#ENVIRONMENT). docs/decisions/0078-domains-by-a-proxy.md.
struct HTTPSProxy: Equatable {
    let host: String
    let port: Int
    /// What it is told of who asks; nil for nothing.
    let account: Account?

    struct Account: Equatable {
        let name: String
        let password: String
    }

    /// A proxy is named, and cannot be used. Says nothing of its password.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// That of curl, where none is named.
    private static let standardPort = 1_080

    /// - Parameter host: in lower case and ASCII.
    /// - Returns: nil if the host is asked directly.
    static func proxy(for host: String, in environment: [String: String]) throws(Unusable) -> HTTPSProxy? {
        func value(of name: String) -> String? {
            [name, name.uppercased()].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        guard let name = ["https_proxy", "all_proxy"].first(where: { value(of: $0) != nil }),
            let text = value(of: name),
            !isExcepted(host, by: value(of: "no_proxy") ?? "")
        else { return nil }
        return try HTTPSProxy(text, named: name)
    }

    private static func isExcepted(_ host: String, by exceptions: String) -> Bool {
        exceptions.lowercased().split { $0 == "," || $0.isWhitespace }.contains { entry in
            let name = entry.drop { $0 == "." }
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }

    private init(_ text: String, named name: String) throws(Unusable) {
        let parts = URLComponents(string: text.contains("://") ? text : "http://\(text)")
        guard let parts, let host = parts.host, !host.isEmpty else {
            throw Unusable(description: "\(name) names no proxy such as http://proxy.school.example:3128")
        }
        guard parts.scheme?.lowercased() == "http" else {
            throw Unusable(
                description: "\(name) names a proxy of the kind \(parts.scheme ?? "")://, and only http:// can be used")
        }
        self.host = host
        port = parts.port ?? Self.standardPort
        account = parts.user.map { Account(name: $0, password: parts.password ?? "") }
    }
}

extension HTTPSProxy: CustomStringConvertible {
    /// `the proxy proxy.school.example:3128`
    var description: String { "the proxy \(host):\(port)" }
}
