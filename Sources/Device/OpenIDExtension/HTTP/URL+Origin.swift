import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension URL {
    /// In small letters and without the brackets of IPv6; nil if there is none.
    var hostName: String? {
        guard let host = host()?.lowercased(), !host.isEmpty else { return nil }
        return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// Scheme, host and port, the port always said; nil of what has no host.
    var origin: String? {
        guard let scheme = scheme?.lowercased(), let host = hostName else { return nil }
        let usual = ["https": 443, "http": 80][scheme]
        guard let port = port ?? usual else { return nil }
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The origin as browsers say it: the port only where it is not the usual one. RFC 6454 §6.2.
    var saidOrigin: String? {
        guard let origin else { return nil }
        let usual = scheme?.lowercased() == "https" ? ":443" : ":80"
        return origin.hasSuffix(usual) ? String(origin.dropLast(usual.count)) : origin
    }

    var isLoopback: Bool { hostName.map(Loopback.contains(host:)) ?? false }

    /// Whether secrets may travel to it: over TLS, or not over any wire.
    var isSafe: Bool { scheme?.lowercased() == "https" || scheme?.lowercased() == "http" && isLoopback }

    /// Host, and port where it is not the usual one: for people.
    var place: String { (host() ?? absoluteString) + (port.map { ":\($0)" } ?? "") }

    /// With further parameters behind those that are there; without its fragment.
    func adding(_ fields: [FormField]) -> URL {
        guard !fields.isEmpty else { return self }
        let text = absoluteString.prefix { $0 != "#" }
        let separator = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
        return URL(string: text + separator + FormEncoding.encode(fields)) ?? self
    }

    /// The parameters of the query, then those of the fragment.
    var parameters: [FormField] {
        let text = absoluteString
        let halves = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let query = halves[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (query.count > 1 ? FormEncoding.decodeAsBrowsersDo(String(query[1])) : [])
            + (halves.count > 1 && halves[1].contains("=") ? FormEncoding.decodeAsBrowsersDo(String(halves[1])) : [])
    }
}
