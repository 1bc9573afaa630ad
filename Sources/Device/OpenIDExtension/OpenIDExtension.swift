import Ground
import SingleSignOnExtension

/// Signs people in with any provider of OpenID Connect or OAuth, and carries web sessions through federations.
///
/// What it keeps it keeps encrypted: the cookies of the web session for all callers, tokens for each caller apart, and
/// the key of this device. Refresh tokens and the key never leave it.
public final class OpenIDExtension: AuthorizationExtension {
    /// As profiles name it.
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
