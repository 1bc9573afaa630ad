import Ground
import SingleSignOnExtension

/// Signs people in with any OpenID Connect or OAuth provider, and follows web sign-ins through federations.
///
/// It saves everything encrypted: one set of cookies for all callers, tokens for each caller separately, and this
/// device's key. Refresh tokens and the key are never given to a caller.
public final class OpenIDExtension: AuthorizationExtension {
    /// The `ExtensionIdentifier` in profiles.
    public nonisolated static let identifier = "org.lanyard.openid.extension"

    private let desk = Desk(surroundings: .system)
    private var running: [ObjectIdentifier: Task<Void, Never>] = [:]

    public init() {}

    public func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        let answering = Answering(request: request, desk: desk)
        let identity = ObjectIdentifier(request)
        running[identity] = Task {
            await answering.run()
            running[identity] = nil
        }
    }

    public func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        running[ObjectIdentifier(request)]?.cancel()
    }
}
