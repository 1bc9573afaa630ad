import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Adds `prompt=none` to an authorization request. OpenID Connect Core §3.1.2.1.
///
/// Many providers make a person who is signed in press a button. With `prompt=none` they answer at once if they can,
/// and with an error if they cannot. Then the original request is sent.
enum SilentRequest {
    /// - Returns: nil if `url` is not an OpenID Connect authorization request, or has a `prompt` already.
    static func url(of url: URL) -> URL? {
        let parameters = url.parameters
        func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }
        guard has("client_id"), has("response_type"), !has("prompt"), !has("request"), !has("request_uri"),
            parameters.only("scope")?.split(separator: " ").contains("openid") ?? false
        else { return nil }
        return url.adding([FormField("prompt", "none")])
    }

    /// The errors with which providers say that they have to ask the person. OpenID Connect Core §3.1.2.6.
    static let errors: Set<String> = [
        "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]

    /// Whether the original request has to be sent instead of returning this answer to the relying party. That is so
    /// for any error, not just ``errors``: not all providers use these codes, or know `prompt=none` at all.
    static func needsPerson(_ ending: WebSession.Ending) -> Bool {
        switch ending {
        case .left(let url): url.parameters.contains { $0.name == "error" }
        case .posts(let page): page.fields.contains { $0.name == "error" }
        case .unreadable, .refused, .canceled: true
        }
    }
}
