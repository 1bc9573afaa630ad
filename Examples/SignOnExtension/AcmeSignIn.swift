import Foundation
import SingleSignOnExtension
import SingleSignOnWire

/// Tells Acme's sites who the user is. Replace `Session.begin` with your identity provider.
@main
struct AcmeSignIn: AuthorizationExtension {
    typealias Request = ASAuthorizationProviderExtensionAuthorizationRequest

    /// Called for every request of every app, also while others are being answered. Therefore return at once, and keep
    /// no state here.
    func beginAuthorization(with request: Request) {
        Task {
            do { try await answer(request) } catch { request.complete(error: error) }
        }
    }

    /// Ends in exactly one of the request's `complete`, `cancel` and `doNotHandle`.
    private func answer(_ request: Request) async throws {
        switch request.requestedOperation {
        case .logout, .configurationRemoved:
            ExtensionFolder.shared.remove("session")
            return request.complete()
        case .none, .login, .refresh: break
        default: return request.doNotHandle()
        }
        var user = ExtensionFolder.shared.read("session").map { String(decoding: $0, as: UTF8.self) }
        if user == nil {
            guard request.requestedOperation != .refresh else {
                throw AuthorizationFailure(.notInteractive, "Somebody has to sign in.")
            }
            user = try await Session.begin(request)
        }
        guard let user else { return request.cancel() }
        let body = try JSONEncoder().encode(["user": user, "app": request.localizedCallerDisplayName])
        let type = HeaderField("Content-Type", "application/json")
        request.complete(
            httpResponse: ASHTTPResponse(url: request.url, statusCode: 200, headerFields: [type]), httpBody: body)
    }
}

enum Session {
    /// - Returns: nil if the person cancels.
    static func begin(_ request: AcmeSignIn.Request) async throws -> String? {
        var form = PresentationForm(
            title: "Sign in to \(request.url.host() ?? "Acme")",
            fields: [.init("user", label: "User name", value: request.extensionData["username"]?.text)])
        while true {
            guard let values = try await request.present(form) else { return nil }
            if let user = values["user"], !user.isEmpty {
                // Save before completing the request, because the extension may be unloaded right after that.
                try ExtensionFolder.shared.write(Data(user.utf8), to: "session")
                return user
            }
            form.problem = "Write a name."
        }
    }
}
