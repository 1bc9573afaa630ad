import SingleSignOnExtension

/// Signs people in with any provider of OpenID Connect or OAuth, and carries web sessions through federations.
public struct OpenIDExtension: AuthorizationExtension {
    public init() {}

    public func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        request.doNotHandle()
    }
}
