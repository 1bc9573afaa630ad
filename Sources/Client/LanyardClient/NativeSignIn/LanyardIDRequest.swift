import LanyardAPI

/// What an app asks of a person who signs in.
public struct LanyardIDRequest: Sendable {
    public let provider: LanyardIDProvider
    /// What to learn about the person. A managed account shares both; one without an address has none to share.
    public var requestedScopes: [Scope]?
    /// Comes back in the credential, unchanged. It is not sent anywhere.
    public var state: String?
    /// Comes back in the identity token, unchanged: it shows the app's server that the token is of now.
    public var nonce: String?
    public var requestedOperation: Operation = .operationImplicit
    /// Who is expected to sign in, if that is known. It is not sent anywhere, and another person may sign in: compare.
    public var user: String?

    /// The raw values are those of AuthenticationServices.
    public enum Scope: String, Sendable {
        case fullName = "full_name"
        case email
    }

    public enum Operation: String, Sendable {
        case operationImplicit = "implicit"
        case operationLogin = "login"
        case operationRefresh = "refresh"
        /// Not handled: a person signs out of an app in the app, and stops using it on their account page.
        case operationLogout = "logout"
    }
}

extension LanyardIDRequest {
    var scopes: [LanyardAPI.Scope] {
        (requestedScopes ?? []).map { $0 == .fullName ? .name : .email }
    }
}
