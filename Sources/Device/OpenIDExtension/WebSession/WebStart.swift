import Ground
import SingleSignOnWire
import WebClient

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
        guard type.prefix(while: { $0 != ";" }).trimmingWhitespace.lowercased() == FormEncoding.contentType else {
            self = .foreign("“\(type.prefix(100))” is posted to \(url.place), and no form")
            return
        }
        let initiator = options["initiatorOrigin"]?.text
        let boundary = ProviderBoundary([url], hosts: settings.identityProviderHosts)
        let isOwn = initiator.flatMap { URL(string: $0) }.map(boundary.contains) ?? false
        guard isOwn || Self.isMessage(FormEncoding.decodeAsBrowsersDo(String(decoding: body, as: UTF8.self))) else {
            self = .foreign("\(initiator ?? "a page that is not known") posts a form of its own to \(url.place)")
            return
        }
        request.body = body
        request.headers = [
            HeaderField("Content-Type", FormEncoding.contentType), HeaderField("Origin", initiator ?? "null"),
        ]
        self = .request(request)
    }

    /// Whether it is what relying parties post, and nothing besides: a message of SAML or WS-Federation, or a request of OAuth.
    /// A field that the protocol does not know may be somebody's decision.
    private static func isMessage(_ fields: [FormField]) -> Bool {
        let names = Set(fields.map { $0.name.lowercased() })
        return messages.contains { message in
            names.isSubset(of: message.fields) && message.signs.contains { names.isSuperset(of: $0) }
        }
    }

    /// In small letters.
    private struct Message {
        /// Fields of which one group is there.
        let signs: [Set<String>]
        /// All that there may be.
        let fields: Set<String>
    }

    private static let messages = [
        // Bindings for SAML 2.0, section 3.5.
        Message(
            signs: [["samlrequest"], ["samlresponse"]],
            fields: ["samlrequest", "samlresponse", "relaystate", "sigalg", "signature", "samlencoding"]),
        // Web Services Federation Language 1.2, section 13.
        Message(
            signs: [["wa"]],
            fields: [
                "wa", "wreply", "wres", "wctx", "wp", "wct", "wfed", "wencoding", "wtrealm", "wfresh", "wauth", "wreq",
                "wreqptr", "whr", "wresult", "wresultptr", "wattr", "wattrptr", "wpseudo", "wpseudoptr",
            ]),
        // IANA's registry of OAuth parameters, those of authorization requests, and what large providers add to them.
        Message(
            signs: [["client_id", "response_type"], ["client_id", "request"], ["client_id", "request_uri"]],
            fields: [
                "client_id", "response_type", "response_mode", "redirect_uri", "scope", "state", "nonce", "display",
                "prompt", "max_age", "ui_locales", "claims_locales", "id_token_hint", "login_hint", "acr_values",
                "claims", "registration", "request", "request_uri", "resource", "audience", "authorization_details",
                "code_challenge", "code_challenge_method", "dpop_jkt", "domain_hint", "hd", "kc_idp_hint",
                "access_type", "include_granted_scopes",
            ]),
    ]
}
