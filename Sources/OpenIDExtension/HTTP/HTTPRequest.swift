import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request to a provider; redirections are not followed.
struct HTTPRequest: Sendable {
    var url: URL
    /// Sent by POST if there is one, else the request is a GET.
    var body: Data?
    var headers: [HeaderField] = []
    /// Whether the cookies of the web session go along and new ones are kept.
    var hasCookies = false
    /// Whether a person has typed what is in it: it goes to the provider alone.
    var isTyped = false
    /// PEM, of authorities that count beside the system's.
    var certificateAuthorities: [String] = []
    /// More than that is no answer.
    var bytesMax = 1 << 20

    init(_ url: URL) { self.url = url }

    static func form(_ url: URL, _ fields: [FormField]) -> HTTPRequest {
        var request = HTTPRequest(url)
        request.body = Data(FormEncoding.encode(fields).utf8)
        request.headers = [HeaderField("Content-Type", FormEncoding.contentType)]
        return request
    }
}

struct HTTPReply: Sendable {
    let status: Int
    let headers: [HeaderField]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Why there is no answer.
struct HTTPFailure: Error, CustomStringConvertible {
    let host: String
    let reason: String

    var description: String { "\(host) does not answer: \(reason)" }
}

extension [FormField] {
    /// The value of a name that occurs once; nil if it is absent, or there are several to choose from.
    func only(_ name: String) -> String? {
        let values = filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}

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

    var isLoopback: Bool { ["localhost", "127.0.0.1", "::1"].contains(hostName) }

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
        return (query.count > 1 ? FormEncoding.decode(query[1]) : [])
            + (halves.count > 1 && halves[1].contains("=") ? FormEncoding.decode(halves[1]) : [])
    }
}
