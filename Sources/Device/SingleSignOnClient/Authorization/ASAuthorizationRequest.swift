import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request that a controller performs. Set its properties first: they are read when the controller begins.
public class ASAuthorizationRequest {
    public let provider: any ASAuthorizationProvider

    fileprivate init(_ provider: any ASAuthorizationProvider) { self.provider = provider }
}

/// docs/specifications/extensible-single-sign-on.md, 15.2.
public class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    /// No scopes are requested if it is nil.
    public var requestedScopes: [ASAuthorization.Scope]?
    /// Returned unchanged in the credential.
    public var state: String?
    /// Returned in the identity token.
    public var nonce: String?
    public var requestedOperation = ASAuthorization.OpenIDOperation.operationImplicit
}

public final class ASAuthorizationSingleSignOnRequest: ASAuthorizationOpenIDRequest {
    /// Parameters for the extension.
    public var authorizationOptions: [URLQueryItem] = []
    /// Whether the extension may ask the person. If not, one that has to ask ends the request with
    /// ``ASAuthorizationError/Code/notInteractive``.
    public var isUserInterfaceEnabled = true

    let singleSignOn: ASAuthorizationSingleSignOnProvider

    init(_ provider: ASAuthorizationSingleSignOnProvider) {
        singleSignOn = provider
        super.init(provider)
    }

    /// The request in the form in which it is sent to the broker.
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

/// The result of a request.
public struct ASAuthorization: Sendable {
    public let provider: any ASAuthorizationProvider
    /// An ``ASAuthorizationSingleSignOnCredential``.
    public let credential: any ASAuthorizationCredential

    /// Something that a person or an organization shares with an app: a scope of OpenID Connect, or any other.
    public struct Scope: Hashable, Sendable, RawRepresentable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public init(_ rawValue: String) { self.rawValue = rawValue }

        public static let fullName = Scope("fullName")
        public static let email = Scope("email")
    }

    /// What the extension is asked to do: one of these operations, or one that app and extension have agreed on.
    public struct OpenIDOperation: Hashable, Sendable, RawRepresentable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The provider decides what this does.
        public static let operationImplicit = OpenIDOperation("implicit")
        /// Signs in, and may ask the person.
        public static let operationLogin = OpenIDOperation("login")
        /// Signs in with what is stored, without asking the person; if that is not enough, the request fails.
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
    /// The extension cannot ask the person anywhere.
    public static let none = ASPresentationAnchor(presentation: .none)
}
