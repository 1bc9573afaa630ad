import Foundation
import SingleSignOnClient

/// A native app that signs its user in: `native-sign-in https://id.acme.test/`.
@main
@MainActor
struct NativeSignIn {
    static func main() async {
        guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
            print("usage: native-sign-in IDENTITY-PROVIDER")
            exit(64)
        }
        let provider = ASAuthorizationSingleSignOnProvider(identityProvider: url)
        guard provider.canPerformAuthorization else {
            print("There is no single sign-on for \(url.absoluteString) here: the app would show its own sign-in.")
            exit(4)
        }
        do {
            let credential = try await signIn(provider)
            let token = credential.accessToken.map { "the access token has \($0.count) bytes" }
            print("Signed in; \(token ?? "no access token came").")
        } catch {
            print("Not signed in: \(error)")
            exit(1)
        }
    }

    /// Signs in silently with saved tokens, and asks the person only if that fails.
    static func signIn(
        _ provider: ASAuthorizationSingleSignOnProvider
    ) async throws -> ASAuthorizationSingleSignOnCredential {
        let request = provider.createRequest()
        request.requestedScopes = [.init("openid"), .email]
        request.requestedOperation = .operationRefresh
        request.isUserInterfaceEnabled = false
        if let credential = try? await perform(request) { return credential }
        request.requestedOperation = .operationLogin
        request.isUserInterfaceEnabled = true
        return try await perform(request)
    }

    static func perform(
        _ request: ASAuthorizationSingleSignOnRequest
    ) async throws -> ASAuthorizationSingleSignOnCredential {
        let authorization = try await ASAuthorizationController(authorizationRequests: [request]).performRequests()
        // The result of a single sign-on request always has this type.
        return authorization.credential as! ASAuthorizationSingleSignOnCredential
    }
}
