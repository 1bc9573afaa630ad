import ArgumentParser
import Foundation
import SingleSignOnClient

/// Signs the user in as any app can: silently if possible, otherwise by asking.
///
/// The app itself shows no sign-in page, sees no password and saves no token. The extension does all of that.
@MainActor
struct SignIn {
    let settings: ClientSettings.Configuration
    /// A redirect URI that is registered for this client. It is never loaded: the extension takes the code from the
    /// redirection and stops there.
    private static let returnURL = "https://burgers.example/native"

    struct Tokens: Sendable {
        let access: String
        let identity: String
        /// Whether the person may have been asked, because signing in silently failed.
        let wasInteractive: Bool
    }

    /// - Parameter refused: an access token that the site has refused.
    /// - Throws: `ASAuthorizationError`, `ValidationError` if there is no single sign-on for the provider.
    func tokens(inPlaceOf refused: String? = nil) async throws -> Tokens {
        let provider = ASAuthorizationSingleSignOnProvider(identityProvider: settings.identityProvider)
        guard provider.canPerformAuthorization else {
            throw ValidationError(
                """
                This device has no single sign-on for \(settings.identityProvider). Ask with \
                `lanyard-sso match \(settings.identityProvider)` why.
                """)
        }
        do {
            return try await perform(.operationRefresh, provider, refused)
        } catch let error as ASAuthorizationError where [.notInteractive, .failed].contains(error.code) {
            // The person has to be asked. If this was another error, the login fails with it as well.
            return try await perform(.operationLogin, provider, refused)
        }
    }

    func signOut() async throws {
        let request = ASAuthorizationSingleSignOnProvider(identityProvider: settings.identityProvider).createRequest()
        request.requestedOperation = .operationLogout
        request.authorizationOptions = [URLQueryItem(name: "client_id", value: settings.clientID)]
        request.isUserInterfaceEnabled = false
        _ = try await ASAuthorizationController(authorizationRequests: [request]).performRequests()
    }

    private func perform(
        _ operation: ASAuthorization.OpenIDOperation, _ provider: ASAuthorizationSingleSignOnProvider,
        _ refused: String?
    ) async throws -> Tokens {
        let request = provider.createRequest()
        request.requestedOperation = operation
        request.isUserInterfaceEnabled = operation == .operationLogin
        request.requestedScopes = ["openid", "profile", "offline_access"].map { ASAuthorization.Scope($0) }
        request.authorizationOptions = [
            URLQueryItem(name: "client_id", value: settings.clientID),
            URLQueryItem(name: "redirect_uri", value: Self.returnURL),
        ]
        if let refused { request.authorizationOptions.append(URLQueryItem(name: "access_token", value: refused)) }
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.presentationContextProvider = Terminal.shared
        let authorization = try await controller.performRequests()
        let credential = authorization.credential as? ASAuthorizationSingleSignOnCredential
        return Tokens(
            access: String(decoding: credential?.accessToken ?? Data(), as: UTF8.self),
            identity: String(decoding: credential?.identityToken ?? Data(), as: UTF8.self),
            wasInteractive: operation == .operationLogin)
    }

    /// Shows forms in the terminal, or in the desktop's browser if there is no terminal.
    private final class Terminal: ASAuthorizationControllerPresentationContextProviding {
        static let shared = Terminal()

        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
            TerminalPresenter.isAvailable ? .terminal : .desktop
        }
    }
}
