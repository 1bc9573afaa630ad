import Foundation
import LanyardAPI

/// Signs the person of a native app in: with the browser of this machine if there is one, otherwise with another
/// device.
struct NativeSignIn: Sendable {
    let request: LanyardIDRequest
    let presentation: any SignInPresentation

    private var provider: LanyardIDProvider { request.provider }
    private var configuration: LanyardIDProvider.Configuration { provider.configuration }

    func run() async throws -> LanyardAuthorization {
        if let credential = try await viaBrowser() {
            return LanyardAuthorization(provider: provider, credential: credential)
        }
        return LanyardAuthorization(provider: provider, credential: try await viaDevice())
    }

    /// Nil if there is no browser.
    ///
    /// The state on the wire is the listener's own and not the app's, so that only the browser that was sent with it
    /// can come back.
    private func viaBrowser() async throws -> LanyardIDCredential? {
        let attempt = AuthorizationAttempt.random()
        let listener = try await LoopbackListener(
            path: "/", delivery: .form(origin: Self.origin(of: configuration.baseURL)),
            isAnswer: { FormFields($0)?["state"]?.equalsInConstantTime(attempt.state) ?? false })
        let fields: String?
        do {
            guard await presentation.open(authorizationURL(listener.redirectURI, state: attempt.state)) else {
                await listener.close()
                return nil
            }
            fields = try await listener.answer(within: configuration.timeLimit, sleep: provider.sleep)
        } catch {
            await listener.close()
            throw error
        }
        await listener.close()
        guard let fields else { throw LanyardAuthorizationError(.canceled, "Nobody has signed in in time.") }
        return try await credential(AuthorizationAnswer(fields, state: attempt.state))
    }

    private func authorizationURL(_ redirectURI: String, state: String) -> String {
        let parameters: FormParameters = [
            "client_id": configuration.clientID,
            "redirect_uri": redirectURI,
            "response_type": ResponseType.codeAndIdentityToken.rawValue,
            "response_mode": ResponseMode.formPost.rawValue,
            "scope": request.scopes.isEmpty ? nil : request.scopes.scopeList,
            "state": state,
            "nonce": request.nonce,
        ]
        return parameters.appended(to: configuration.baseURL + "/auth/authorize")
    }

    private func credential(_ answer: AuthorizationAnswer) async throws -> LanyardIDCredential {
        guard let token = answer.identityToken else {
            throw LanyardAuthorizationError(.invalidResponse, "There is no identity token beside the code.")
        }
        let verifier = TokenVerifier(
            keys: provider.keys, issuer: configuration.issuer, audience: configuration.clientID,
            clockTolerance: configuration.clockTolerance, now: provider.now)
        let identity = try await verifier.verify(identityToken: token, nonce: request.nonce, code: answer.code)
        let name = answer.user?.name
        return credential(
            identity,
            fullName: PersonNameComponents(givenName: name?.firstName, familyName: name?.lastName),
            identityToken: token, code: answer.code, tokens: nil)
    }

    private func viaDevice() async throws -> LanyardIDCredential {
        let openID = provider.openID
        // The standard profile has its own scopes for the name and for a refresh token.
        let scopes = request.scopes.map { $0 == .name ? .profile : $0 } + [.offlineAccess]
        let device = try await openID.authorizeDevice(scopes: scopes, nonce: request.nonce)
        await presentation.show(device)
        let result = try await openID.tokens(for: device)
        var fullName: PersonNameComponents?
        if request.requestedScopes?.contains(.fullName) == true {
            let info = try await openID.userInfo(result.tokens.accessToken, subject: result.identity.subject)
            fullName = PersonNameComponents(givenName: info.givenName, familyName: info.familyName)
        }
        return credential(
            result.identity, fullName: fullName, identityToken: result.tokens.identityToken, code: nil,
            tokens: result.tokens)
    }

    private func credential(
        _ identity: IdentityToken,
        fullName: PersonNameComponents?,
        identityToken: String?,
        code: String?,
        tokens: Tokens?
    ) -> LanyardIDCredential {
        let requested = request.requestedScopes ?? []
        let wantsEmail = requested.contains(.email)
        return LanyardIDCredential(
            user: identity.subject,
            fullName: requested.contains(.fullName) ? fullName : nil,
            email: wantsEmail ? identity.email : nil,
            identityToken: identityToken.map { Data($0.utf8) },
            authorizationCode: code.map { Data($0.utf8) },
            realUserStatus: identity.realUserStatus ?? .unsupported,
            state: request.state,
            authorizedScopes: requested.filter { $0 != .email || identity.email != nil },
            account: identity.account,
            tokens: tokens
        )
    }

    /// The origin as browsers write it: scheme and host, and the port if it is not the default.
    static func origin(of url: String) -> String {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased()
        else { return url }
        let usual = ["http": 80, "https": 443][scheme]
        return "\(scheme)://\(host)" + (parts.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? "")
    }
}
