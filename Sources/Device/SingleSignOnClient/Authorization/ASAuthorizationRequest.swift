import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a controller performs. Fill it in before; it is read when the controller begins.
public class ASAuthorizationRequest {
    public let provider: any ASAuthorizationProvider

    fileprivate init(_ provider: any ASAuthorizationProvider) { self.provider = provider }
}

/// docs/specifications/extensible-single-sign-on.md, 15.2.
public class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    /// Nothing if it is nil.
    public var requestedScopes: [ASAuthorization.Scope]?
    /// Comes back in the credential.
    public var state: String?
    /// Comes back in the identity token.
    public var nonce: String?
    public var requestedOperation = ASAuthorization.OpenIDOperation.operationImplicit
}

public final class ASAuthorizationSingleSignOnRequest: ASAuthorizationOpenIDRequest {
    /// Parameters for the extension.
    public var authorizationOptions: [URLQueryItem] = []
    /// If not, an extension that would have to ask the person ends the request with ``ASAuthorizationError/Code/notInteractive``.
    public var isUserInterfaceEnabled = true

    let singleSignOn: ASAuthorizationSingleSignOnProvider

    init(_ provider: ASAuthorizationSingleSignOnProvider) {
        singleSignOn = provider
        super.init(provider)
    }

    /// As it goes to the broker.
    func message(_ anchor: ASPresentationAnchor) -> BrokerRequest {
        var message = BrokerRequest(url: SingleSignOnURL.canonical(singleSignOn.url))
        message.operation = requestedOperation.rawValue
        message.options = authorizationOptions.map { HeaderField($0.name, $0.value ?? "") }
        message.scopes = requestedScopes?.map(\.rawValue)
        message.state = state
        message.nonce = nonce
        message.presentation = isUserInterfaceEnabled ? anchor.presentation : BrokerRequest.Presentation.none
        return message
    }
}

/// What came of a request.
public struct ASAuthorization: Sendable {
    public let provider: any ASAuthorizationProvider
    /// An ``ASAuthorizationSingleSignOnCredential``.
    public let credential: any ASAuthorizationCredential

    /// Part of what a person or an organization shares with an app: one of OpenID Connect, or any other.
    public struct Scope: Hashable, Sendable, RawRepresentable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public init(_ rawValue: String) { self.rawValue = rawValue }

        public static let fullName = Scope("fullName")
        public static let email = Scope("email")
    }

    /// What the extension is to do: one of these, or one that app and extension have agreed on.
    public struct OpenIDOperation: Hashable, Sendable, RawRepresentable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// What it means is left to the provider.
        public static let operationImplicit = OpenIDOperation("implicit")
        /// May ask the person.
        public static let operationLogin = OpenIDOperation("login")
        /// Must not: what is saved is enough, or the request fails.
        public static let operationRefresh = OpenIDOperation("refresh")
        public static let operationLogout = OpenIDOperation("logout")
    }
}

/// Where an extension may ask the person.
public struct ASPresentationAnchor: Hashable, Sendable {
    let presentation: BrokerRequest.Presentation

    /// The terminal of this program, see ``TerminalPresenter``.
    public static let terminal = ASPresentationAnchor(presentation: .terminal)
    /// A page in the desktop's browser.
    public static let desktop = ASPresentationAnchor(presentation: .desktop)
    /// Nowhere.
    public static let none = ASPresentationAnchor(presentation: .none)
}
