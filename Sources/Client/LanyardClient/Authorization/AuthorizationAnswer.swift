import Foundation
import LanyardAPI

/// What the browser brings back: a code, and sometimes more. It certainly belongs to this attempt; nothing else in it
/// can be trusted before the code is exchanged.
public struct AuthorizationAnswer: Equatable, Sendable {
    /// The authorization code, to be exchanged once and within five minutes.
    public var code: String
    /// Not yet verified. Present if the request asked for it.
    public var identityToken: String?
    /// Present only the first time that a person uses the app. Not signed: anybody at the browser can change it.
    public var user: SignInUser?
    /// The `iss` that the answer claims to come from. RFC 9207.
    public var issuer: String?

    /// Reads the query of a redirect, or the body of a form that the browser has posted.
    /// - Parameters:
    ///   - fields: `code=…&state=…`
    ///   - state: the state of the attempt that this browser has begun.
    /// - Throws: `LanyardClientError.oauth` with the provider's word, `user_cancelled_authorize` or `access_denied` if
    ///   the person did not want to; `.wrongState`; `.malformedAnswer`.
    public init(_ fields: String, state: String) throws {
        guard let fields = FormFields(fields) else {
            throw LanyardClientError.malformedAnswer("A field comes twice, or is not UTF-8.")
        }
        guard let returned = fields["state"], returned.equalsInConstantTime(state) else {
            throw LanyardClientError.wrongState
        }
        if let error = fields["error"] {
            throw LanyardClientError.oauth(
                ErrorCode(rawValue: error), description: fields["error_description"], requestID: nil)
        }
        guard let code = fields["code"], !code.isEmpty else {
            throw LanyardClientError.malformedAnswer("There is neither a code nor an error.")
        }
        self.code = code
        identityToken = fields["id_token"]
        // A malformed value is ignored: it is only the name that the person has chosen.
        user = fields["user"].flatMap { try? JSONDecoder().decode(SignInUser.self, from: Data($0.utf8)) }
        issuer = fields["iss"]
    }
}

extension AuthorizationAnswer: CustomReflectable {
    /// Hides the secrets, so that they do not get into a log.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer as Any], displayStyle: .struct) }
}

extension LanyardClientError {
    /// Whether a person decided not to sign in, or not to allow it; not a failure.
    public var isCancelledByPerson: Bool {
        guard case .oauth(let code, _, _) = self else { return false }
        return code == .userCancelledAuthorize || code == .accessDenied
    }
}
