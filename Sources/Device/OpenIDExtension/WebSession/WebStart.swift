import Ground
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The first request of a web sign-in, made from a browser's navigation.
///
/// Any site may make a browser post to the provider, and the extension adds its cookies even where `SameSite` would
/// keep a browser from it. So `Origin` tells the provider which site posts, and only messages that protocols send
/// across sites are posted at all. That prevents cross-site request forgery.
enum WebStart: Sendable {
    case request(HTTPRequest)
    /// The browser has to send the request itself, for this reason.
    case foreign(String)

    /// - Parameter options: the request's authorization options. `initiatorOrigin` is the posting page's origin.
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

    /// Whether the fields are a SAML or WS-Federation message or an OAuth authorization request, and nothing else. A
    /// field that the protocol does not define could be the answer to a question that only the person may give.
    private static func isMessage(_ fields: [FormField]) -> Bool {
        let names = Set(fields.map { $0.name.lowercased() })
        return messages.contains { message in
            names.isSubset(of: message.fields) && message.signs.contains { names.isSuperset(of: $0) }
        }
    }

    /// The fields of a protocol's message, in lower case.
    private struct Message {
        /// At least one of these groups has to be complete.
        let signs: [Set<String>]
        /// All fields that are allowed.
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
