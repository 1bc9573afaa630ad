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

struct FormField: Hashable, Sendable, Codable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// `application/x-www-form-urlencoded`, as browsers write and read it.
enum FormEncoding {
    static let contentType = "application/x-www-form-urlencoded"

    static func encode(_ fields: [FormField]) -> String {
        fields.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    static func decode(_ text: some StringProtocol) -> [FormField] {
        text.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return FormField(unescape(String(pair[0])), pair.count > 1 ? unescape(String(pair[1])) : "")
        }
    }

    private static func unescape(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), let code = UInt8(String(Substring(rest.prefix(2))), radix: 16),
                rest.count >= 2
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [FormField] {
    /// The value of a name that occurs once; nil if it is absent, or there are several to choose from.
    func only(_ name: String) -> String? {
        let values = filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}

extension URL {
    /// Scheme, host and port, the port always said; nil of what has no host.
    var origin: String? {
        guard let scheme = scheme?.lowercased(), let host = host()?.lowercased(), !host.isEmpty else { return nil }
        let usual = ["https": 443, "http": 80][scheme]
        guard let port = port ?? usual else { return nil }
        return "\(scheme)://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }

    var isLoopback: Bool {
        switch host()?.lowercased() {
        case "localhost", "127.0.0.1", "::1", "[::1]": true
        default: false
        }
    }

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
