import Foundation
import LanyardAPI

/// Who has signed in, and what proves it to the app's server.
public struct LanyardIDCredential: Equatable, Sendable {
    /// The person, by an identifier that is the same in all apps of the team and never changes.
    public var user: String
    /// The first time only, and only if it was asked for; by the device flow each time.
    public var fullName: PersonNameComponents?
    /// Nil if it was not asked for, or the account has none. Signed by the service.
    public var email: String?
    /// A JWT in UTF-8, verified already; the app's server has to do so itself.
    public var identityToken: Data?
    /// What the app's server exchanges for tokens, in UTF-8, once and within minutes. Nil after the device flow.
    public var authorizationCode: Data?
    public var realUserStatus: RealUserStatus
    /// What the request had.
    public var state: String?
    /// What the person shares; may be less than was asked for.
    public var authorizedScopes: [LanyardIDRequest.Scope]
    /// Whose account it is: the person's own, or an organization's.
    public var account: Account
    /// Given in place of a code by the device flow.
    public var tokens: Tokens?
}

extension LanyardIDCredential: CustomReflectable {
    /// Without what is secret, so that it does not get into a log.
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
