import Foundation
import LanyardAPI

/// The person who has signed in, and the proof for the app's server.
public struct LanyardIDCredential: Equatable, Sendable {
    /// The person, by an identifier that is the same in all apps of the team and never changes.
    public var user: String
    /// Only the first time, and only if it was requested; in the device flow every time.
    public var fullName: PersonNameComponents?
    /// Nil if it was not requested, or the account has none. Signed by the service.
    public var email: String?
    /// A JWT in UTF-8, verified already; the app's server has to do so itself.
    public var identityToken: Data?
    /// The code in UTF-8, which the app's server exchanges for tokens: once, within five minutes. Nil after the device
    /// flow.
    public var authorizationCode: Data?
    /// Whether the service takes the person for a real one: `unknown` or `unsupported`.
    public var realUserStatus: RealUserStatus
    /// The state of the request.
    public var state: String?
    /// The scopes that the person shares, possibly fewer than requested.
    public var authorizedScopes: [LanyardIDRequest.Scope]
    /// Who owns the account: the person or an organization.
    public var account: Account
    /// The tokens that the device flow gives instead of a code.
    public var tokens: Tokens?
}

extension LanyardIDCredential: CustomReflectable {
    /// Hides the secrets, so that they do not get into a log.
    public var customMirror: Mirror {
        Mirror(self, children: ["user": user, "authorizedScopes": authorizedScopes], displayStyle: .struct)
    }
}

extension PersonNameComponents {
    /// Nil if there is no name in it.
    init?(givenName: String?, familyName: String?) {
        self.init()
        self.givenName = givenName.flatMap { $0.isEmpty ? nil : $0 }
        self.familyName = familyName.flatMap { $0.isEmpty ? nil : $0 }
        if self.givenName == nil, self.familyName == nil { return nil }
    }
}
