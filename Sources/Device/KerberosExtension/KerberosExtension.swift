import Ground
import SingleSignOnExtension

/// Signs people in to Active Directory and other realms of Kerberos, and answers challenges of their servers.
///
/// It asks for a password once, and then has a ticket, which proves who the person is without a password. Tickets are where
/// the person's other programs find them, unless the payload limits who may use them.
public final class KerberosExtension: AuthorizationExtension {
    /// The `ExtensionIdentifier` in profiles.
    public nonisolated static let identifier = "com.apple.AppSSOKerberos.KerberosExtension"

    private let desk = Desk(surroundings: .system)
    private var running: [ObjectIdentifier: Task<Void, Never>] = [:]

    public init() {}

    /// Has MIT Kerberos read the extension's own configuration before the machine's. Called first, before there are threads.
    public nonisolated static func useOwnConfiguration() { PrivateConfiguration(folder: .shared).use() }

    /// Does the work with a smart card, if that is what this process was started for.
    /// - Returns: whether it was.
    public nonisolated static func hasAnsweredForCard() -> Bool {
        guard CommandLine.arguments.dropFirst().first == CardProcess.argument else { return false }
        CardProcess.answer()
        return true
    }

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
