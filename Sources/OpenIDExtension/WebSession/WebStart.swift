import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a request of the web begins.
///
/// A page of anybody may post to the provider, and the extension's cookies go along, whatever the provider has said of other
/// sites (`SameSite`). So the provider hears who posts, and what no protocol sends across sites is not posted at all.
enum WebStart: Sendable {
    case request(HTTPRequest)
    /// It is left to the browser; why.
    case foreign(String)

    /// - Parameter options: of the request; `initiatorOrigin` is the page's that posts.
    init(
        _ url: URL, body: Data, _ headers: [HeaderField], _ options: [String: PropertyListValue], _ settings: Settings
    ) {
        var request = HTTPRequest(url)
        guard !body.isEmpty else {
            self = .request(request)
            return
        }
        let type = headers["Content-Type"] ?? FormEncoding.contentType
        guard type.prefix(while: { $0 != ";" }).trimmed.lowercased() == FormEncoding.contentType else {
            self = .foreign("“\(type.prefix(100))” is posted to \(url.place), and no form")
            return
        }
        let initiator = options["initiatorOrigin"]?.text
        let boundary = ProviderBoundary([url], hosts: settings.identityProviderHosts)
        let isOwn = initiator.flatMap { URL(string: $0) }.map(boundary.contains) ?? false
        guard isOwn || Self.isMessage(FormEncoding.decode(String(decoding: body, as: UTF8.self))) else {
            self = .foreign("\(initiator ?? "a page that is not known") posts a form of its own to \(url.place)")
            return
        }
        request.body = body
        request.headers = [
            HeaderField("Content-Type", FormEncoding.contentType), HeaderField("Origin", initiator ?? "null"),
        ]
        self = .request(request)
    }

    /// Whether it is what relying parties post: a message of SAML or WS-Federation, or a request of OAuth.
    private static func isMessage(_ fields: [FormField]) -> Bool {
        let names = Set(fields.map { $0.name.lowercased() })
        return !names.isDisjoint(with: ["samlrequest", "samlresponse", "wa"])
            || names.contains("client_id") && !names.isDisjoint(with: ["response_type", "request", "request_uri"])
    }
}
