import Ground
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
