import Foundation

/// How the answer to an authorization request travels back: where to, in which mode, with which state.
package struct AuthorizationResponse: Equatable, Sendable {
    package let redirectURI: String
    package let mode: AuthorizationRequest.ResponseMode
    package let state: String?

    /// The answer itself, as the browser carries it.
    package enum Carrier: Equatable, Sendable {
        case redirect(location: String)
        /// A form that the browser posts to `action`.
        case form(action: String, fields: [Field])
    }

    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    package func code(_ code: String) -> Carrier { carry([Field(name: "code", value: code)]) }

    package func error(_ code: OAuthError.Code) -> Carrier { carry([Field(name: "error", value: code.rawValue)]) }

    /// RFC 6749 §4.1.2; for an app that only knows the sibling's word for "cancelled".
    package func cancelled(as word: String) -> Carrier { carry([Field(name: "error", value: word)]) }

    private func carry(_ answer: [Field]) -> Carrier {
        let fields = answer + (state.map { [Field(name: "state", value: $0)] } ?? [])
        let encoded = fields.map { "\($0.name)=\(Self.encode($0.value))" }.joined(separator: "&")
        switch mode {
        case .formPost: return .form(action: redirectURI, fields: fields)
        case .fragment: return .redirect(location: "\(redirectURI)#\(encoded)")
        case .query:
            // A registered return URL may have a query of its own. RFC 6749 §3.1.2.
            let separator = redirectURI.contains("?") ? "&" : "?"
            return .redirect(location: "\(redirectURI)\(separator)\(encoded)")
        }
    }

    /// Percent-encodes all but RFC 3986's unreserved characters.
    private static func encode(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
