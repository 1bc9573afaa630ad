import ArgumentParser
import Foundation
import SingleSignOnClient

/// Signs the user in the way that every app can: silently if that is possible, asking if it is not.
///
/// The app has no pages, no password and no saved token: all that is the extension's.
@MainActor
struct SignIn {
    let settings: ClientSettings.Configuration
    /// The provider knows it as ours. It is never opened: the extension takes what comes back, and goes no further.
    private static let returnURL = "https://burgers.example/native"

    struct Tokens: Sendable {
        let access: String
        let identity: String
        /// Whether a person was asked, as far as the app can tell: silence was not enough.
        let wasInteractive: Bool
    }

    /// - Parameter refused: an access token that the site did not take.
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
            // Somebody has to be asked. That it fails for another reason the login will say.
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

    /// Forms are drawn here; without a terminal, in the desktop's browser.
    private final class Terminal: ASAuthorizationControllerPresentationContextProviding {
        static let shared = Terminal()

        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
            TerminalPresenter.isAvailable ? .terminal : .desktop
        }
    }
}
