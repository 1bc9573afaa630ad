import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// A response of the server.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: String
    /// The path of the request.
    let path: String

    subscript(header: String) -> String? { headers.first(name: header) }

    var location: String { self["Location"] ?? "" }

    var cookies: [String] { headers["Set-Cookie"] }

    /// Empty if the body is no JSON object.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:]
    }

    /// The `error` of a refusal.
    var error: String? { json["error"] as? String }

    func list(_ key: String) -> [[String: Any]] { json[key] as? [[String: Any]] ?? [] }

    func ids(_ key: String) -> [String] { list(key).compactMap { $0["id"] as? String } }

    /// Status and body in one line, to compare whole refusals.
    var line: String { "\(status) \(body)" }

    /// The parameters that a redirect carries, from its query or its fragment.
    var redirectParameters: [String: String] {
        guard let mark = location.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return [:] }
        let pairs = location[location.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.removingPercentEncoding ?? "" }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension Answer {
    /// A form of a page, as a browser would send it.
    struct Form: Sendable {
        let action: String
        var fields: [String: String]
    }

    var forms: [Form] {
        body.matches(of: #/(?s)<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>/#).map { match in
            let inputs = match.2.matches(of: #/<input type="hidden" name="([^"]*)" value="([^"]*)">/#)
            return Form(
                action: Self.unescape(match.1),
                fields: Dictionary(inputs.map { (Self.unescape($0.1), Self.unescape($0.2)) }) { first, _ in first })
        }
    }

    /// The first form whose action begins with `action`, and that has the hidden field, if one is given.
    func form(_ action: String, with field: String? = nil) -> Form? {
        forms.first { $0.action.hasPrefix(action) && (field == nil || $0.fields[field!] != nil) }
    }

    /// The content of `<h1>`.
    var heading: String? {
        body.firstMatch(of: #/<h1>(?:<bdi>)?(.*?)(?:</bdi>)?</h1>/#).map { Self.unescape($0.1) }
    }

    static func unescape(_ text: some StringProtocol) -> String {
        String(text).replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&gt;", with: ">")
            .replacingOccurrences(of: "&quot;", with: "\"").replacingOccurrences(of: "&#39;", with: "'")
            .replacingOccurrences(of: "&amp;", with: "&")
    }
}
