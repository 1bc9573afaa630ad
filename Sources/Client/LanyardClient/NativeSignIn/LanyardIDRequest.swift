import LanyardAPI

/// A request of an app to sign a person in.
public struct LanyardIDRequest: Sendable {
    public let provider: LanyardIDProvider
    /// What to learn about the person. A managed account shares both, as far as it has an address.
    public var requestedScopes: [Scope]?
    /// Comes back in the credential, unchanged. It is not sent anywhere.
    public var state: String?
    /// Comes back in the identity token unchanged, so that the app's server knows that the token is fresh.
    public var nonce: String?
    public var requestedOperation: Operation = .operationImplicit
    /// The person who is expected to sign in, if known. It is not sent anywhere and another person may sign in, so
    /// compare the result.
    public var user: String?

    /// The raw values are those of AuthenticationServices.
    public enum Scope: String, Sendable {
        case fullName = "full_name"
        case email
    }

    /// What to do. All but logout sign the person in. The raw values are those of AuthenticationServices.
    public enum Operation: String, Sendable {
        case operationImplicit = "implicit"
        case operationLogin = "login"
        case operationRefresh = "refresh"
        /// Not handled: people sign out within the app, and stop using it on their account page.
        case operationLogout = "logout"
    }
}

extension LanyardIDRequest {
    var scopes: [LanyardAPI.Scope] {
        (requestedScopes ?? []).map { $0 == .fullName ? .name : .email }
    }
}
