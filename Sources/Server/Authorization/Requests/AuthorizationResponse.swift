import Foundation
import Ground

/// How the answer to an authorization request is sent: to which address, in which mode, with which state.
package struct AuthorizationResponse: Equatable, Sendable {
    package let redirectURI: String
    package let mode: AuthorizationRequest.ResponseMode
    package let state: String?
    /// The server that answers, for apps that use several. RFC 9207.
    var issuer: String?

    /// The answer in the form in which the browser carries it.
    package enum Carrier: Equatable, Sendable {
        case redirect(location: String)
        /// A form that the browser posts to `action`.
        case form(action: String, fields: [FormField])
        /// A JSON text that the page posts to the window that opened it, if that window is of the given origin.
        case message(origin: String, text: String)
    }

    /// - Parameters:
    ///   - identityToken: the token that the app asked for beside the code, if any.
    ///   - user: what the person shares, at the first sign-in.
    package func code(_ code: String, identityToken: String? = nil, user: SharedUser? = nil) -> Carrier {
        if mode == .webMessage {
            return message(
                PopupAnswer(
                    authorization: .init(code: code, identityToken: identityToken, state: state), user: user))
        }
        return carry(
            [FormField("code", code)] + (identityToken.map { [FormField("id_token", $0)] } ?? [])
                + (user.map { [FormField("user", $0.json)] } ?? []))
    }

    /// - Parameter description: `error_description` for the developer, where the protocol has one.
    package func error(_ code: OAuthError.Code, description: String? = nil) -> Carrier {
        error(code.rawValue, description: description)
    }

    /// The answer that the person has canceled (RFC 6749 §4.1.2).
    /// - Parameter word: the error code, since some apps know another one than the standard's.
    package func cancelled(as word: String) -> Carrier { error(word, description: nil) }

    private func error(_ word: String, description: String?) -> Carrier {
        if mode == .webMessage { return message(PopupAnswer(error: word)) }
        return carry(
            [FormField("error", word)]
                + (description.map { [FormField("error_description", $0)] } ?? []))
    }

    /// The answer as a message to the window that opened the popup, only for the origin of the app's own return URL.
    /// docs/specifications/sign-in.md, 11.2 to 11.4.
    private func message(_ data: PopupAnswer) -> Carrier {
        // Encoding cannot fail, because there are only strings.
        let text = (try? JSONEncoder.stable.encode(PopupMessage(method: "oauthDone", data: data))) ?? Data()
        return .message(origin: AppAddress.origin(of: redirectURI) ?? "", text: String(decoding: text, as: UTF8.self))
    }

    private func carry(_ answer: [FormField]) -> Carrier {
        let fields =
            answer + (state.map { [FormField("state", $0)] } ?? [])
            + (issuer.map { [FormField("iss", $0)] } ?? [])
        let encoded = FormEncoding.encode(fields)
        switch mode {
        case .formPost, .webMessage: return .form(action: redirectURI, fields: fields)
        case .fragment: return .redirect(location: "\(redirectURI)#\(encoded)")
        case .query:
            // A registered return URL may have a query of its own. RFC 6749 §3.1.2.
            let separator = redirectURI.contains("?") ? "&" : "?"
            return .redirect(location: "\(redirectURI)\(separator)\(encoded)")
        }
    }
}

/// What an app gets once, at the first sign-in, unsigned and through the browser. Members that were not asked for, or
/// that the person does not have, are left out.
package struct SharedUser: Encodable, Equatable, Sendable {
    package struct Name: Encodable, Equatable, Sendable {
        package let firstName: String
        package let lastName: String
    }

    package let name: Name?
    package let email: String?

    /// The JSON text in the form field.
    package var json: String {
        // Strings only: nothing that could not be encoded.
        String(decoding: (try? JSONEncoder.stable.encode(self)) ?? Data(), as: UTF8.self)
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
