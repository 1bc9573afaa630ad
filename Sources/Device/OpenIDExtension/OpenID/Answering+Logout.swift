import ExtensionVault
import Ground
import SingleSignOnExtension
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signing out.
extension Answering {
    /// Deletes the tokens first, so that they are gone even if the provider cannot be told. Then revokes them and ends
    /// the provider's session if possible.
    func answerLogout(_ settings: Settings) async throws {
        let issuer = issuer(settings)
        let name = settings.issuer ?? issuer.absoluteString
        let removed = try desk.withTokens(of: request) { store in try store.remove { $0.wish.issuer == name } }
        var options = request.authorizationOptions
        if options["client_id"] == nil, let client = removed.first?.wish.client {
            options["client_id"] = .string(client)
        }
        var starts = [request.url, issuer]
        if let wanted = try? TokenRequest(options, url: request.url, settings: settings),
            let provider = try? await desk.provider(wanted, settings: settings)
        {
            if let endpoint = URL(string: provider.metadata.authorizationEndpoint) { starts.append(endpoint) }
            await tell(provider, removed, settings, starts)
        }
        try desk.forgetSession(settings, starts: starts)
        request.complete()
    }

    func issuer(_ settings: Settings) -> URL {
        let address = settings.issuer ?? String(request.url.absoluteString.prefix { $0 != "?" && $0 != "#" })
        return URL(string: address) ?? request.url
    }

    func registration(_ settings: Settings) -> [URL] {
        [settings.deviceRegistration.flatMap { URL(string: $0) }].compactMap { $0 }
    }

    private func tell(_ provider: Provider, _ removed: [SavedTokens], _ settings: Settings, _ starts: [URL]) async {
        for tokens in removed {
            if let token = tokens.refreshToken { await provider.revoke(token, hint: "refresh_token") }
            await provider.revoke(tokens.accessToken, hint: "access_token")
        }
        // OpenID Connect RP-Initiated Logout §2.
        guard let endpoint = provider.metadata.endSessionEndpoint.flatMap({ URL(string: $0) }) else { return }
        var fields = [FormField("client_id", provider.client)]
        if let hint = removed.compactMap(\.identityToken).first { fields.append(FormField("id_token_hint", hint)) }
        var session = desk.webSession(
            for: request, settings: settings, starts: starts + [endpoint], isInteractive: false)
        // The device's key must not start a new session while the old one ends.
        session.signInSilently = { _ in false }
        do {
            _ = try await session.run(HTTPRequest(endpoint.adding(fields)))
        } catch {
            writeToLog("the provider's own session may last: \(error)")
        }
    }
}
