import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The same authorization request with the wish that nobody be asked. OpenID Connect Core §3.1.2.1.
///
/// Many providers ask who is signed in already to press a button. With `prompt=none` they answer at once where they can,
/// and say so where they cannot; the request is made as it stood then.
enum SilentRequest {
    /// - Returns: nil if the address is no such request, or says itself what may be asked.
    static func url(of url: URL) -> URL? {
        let parameters = url.parameters
        func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }
        guard has("client_id"), has("response_type"), !has("prompt"), !has("request"), !has("request_uri"),
            parameters.only("scope")?.split(separator: " ").contains("openid") ?? false
        else { return nil }
        return url.adding([FormField("prompt", "none")])
    }

    /// Errors that say that somebody has to be asked. OpenID Connect Core §3.1.2.6.
    static let errors: Set<String> = [
        "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]

    /// Whether a provider's answer is no word for the relying party: with any error the request is made as it stood, for not all
    /// providers know these words, or `prompt=none` at all.
    static func needsPerson(_ ending: WebSession.Ending) -> Bool {
        switch ending {
        case .left(let url): url.parameters.contains { $0.name == "error" }
        case .posts(let page): page.fields.contains { $0.name == "error" }
        case .unreadable, .refused, .canceled: true
        }
    }
}
