import Foundation

/// How the answer to an authorization request travels back: where to, in which mode, with which state.
package struct AuthorizationResponse: Equatable, Sendable {
    package let redirectURI: String
    package let mode: AuthorizationRequest.ResponseMode
    package let state: String?
    /// RFC 9207: which server answers, for apps that talk to several.
    var issuer: String?

    /// The answer itself, as the browser carries it.
    package enum Carrier: Equatable, Sendable {
        case redirect(location: String)
        /// A form that the browser posts to `action`.
        case form(action: String, fields: [Field])
        /// A JSON text that the page posts to the window that opened it, if that is of the origin.
        case message(origin: String, text: String)
    }

    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    /// - Parameters:
    ///   - identityToken: if the app asked for one beside the code.
    ///   - user: at the first sign-in, what the person shares.
    package func code(_ code: String, identityToken: String? = nil, user: SharedUser? = nil) -> Carrier {
        if mode == .webMessage {
            return message(
                PopupAnswer(
                    authorization: .init(code: code, identityToken: identityToken, state: state), user: user))
        }
        return carry(
            [Field(name: "code", value: code)] + (identityToken.map { [Field(name: "id_token", value: $0)] } ?? [])
                + (user.map { [Field(name: "user", value: $0.json)] } ?? []))
    }

    /// - Parameter description: for the developer, where the protocol has one.
    package func error(_ code: OAuthError.Code, description: String? = nil) -> Carrier {
        error(code.rawValue, description: description)
    }

    /// RFC 6749 §4.1.2; for an app that only knows the sibling's word for "cancelled".
    package func cancelled(as word: String) -> Carrier { error(word, description: nil) }

    private func error(_ word: String, description: String?) -> Carrier {
        if mode == .webMessage { return message(PopupAnswer(error: word)) }
        return carry(
            [Field(name: "error", value: word)]
                + (description.map { [Field(name: "error_description", value: $0)] } ?? []))
    }

    /// docs/specifications/sign-in.md, 11.2 to 11.4. Never to any other origin than that of the app's own return URL.
    private func message(_ data: PopupAnswer) -> Carrier {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings only: nothing that could not be encoded.
        let text = (try? encoder.encode(PopupMessage(method: "oauthDone", data: data))) ?? Data()
        return .message(origin: AppAddress.origin(of: redirectURI) ?? "", text: String(decoding: text, as: UTF8.self))
    }

    private func carry(_ answer: [Field]) -> Carrier {
        let fields =
            answer + (state.map { [Field(name: "state", value: $0)] } ?? [])
            + (issuer.map { [Field(name: "iss", value: $0)] } ?? [])
        let encoded = fields.map { "\($0.name)=\(Self.encode($0.value))" }.joined(separator: "&")
        switch mode {
        case .formPost, .webMessage: return .form(action: redirectURI, fields: fields)
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

/// What an app gets once, at the first sign-in: unsigned, through the browser. Keys for what was not asked for, or
/// is not there, are left out.
package struct SharedUser: Encodable, Equatable, Sendable {
    package struct Name: Encodable, Equatable, Sendable {
        package let firstName: String
        package let lastName: String
    }

    package let name: Name?
    package let email: String?

    /// As the form field holds it.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings only: nothing that could not be encoded.
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
    }
}

private struct PopupMessage: Encodable {
    let method: String
    let data: PopupAnswer
}

private struct PopupAnswer: Encodable {
    struct Authorization: Encodable {
        let code: String
        let identityToken: String?
        let state: String?

        enum CodingKeys: String, CodingKey {
            case code, state
            case identityToken = "id_token"
        }
    }

    var authorization: Authorization?
    var user: SharedUser?
    var error: String?
}
