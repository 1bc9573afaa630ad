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

/// Answers apps that ask for tokens: docs/specifications/extensible-single-sign-on.md, 17.
extension Answering {
    /// Signs in, and asks the person only if there is no session yet.
    func answerLogin(_ settings: Settings) async throws {
        let wanted = try TokenRequest(request.authorizationOptions, url: request.url, settings: settings)
        guard let tokens = try await authorize(wanted, settings, isSilent: !request.isUserInterfaceEnabled) else {
            return request.cancel()
        }
        complete(with: tokens, wanted)
    }

    /// Never asks the person. Uses saved tokens if they are still valid, else the refresh token, else the web session.
    func answerRefresh(_ settings: Settings) async throws {
        let wanted = try TokenRequest(request.authorizationOptions, url: request.url, settings: settings)
        if let saved = try usable(wanted), isGood(saved, for: wanted) { return complete(with: saved, wanted) }
        let refresh = Desk.Refresh(caller: request.callerBundleIdentifier, wanted: wanted, settings: settings)
        let tokens = try await desk.refreshOnce(refresh) {
            // Read again: another refresh may just have finished and replaced the refresh token.
            if let saved = try usable(wanted) {
                if isGood(saved, for: wanted) { return saved }
                if let renewed = try await renew(saved, wanted, settings), wanted.accepts(renewed) { return renewed }
            }
            guard let tokens = try await authorize(wanted, settings, isSilent: true) else {
                throw AuthorizationFailure(.notInteractive, "Somebody has to sign in.")
            }
            return tokens
        }
        complete(with: tokens, wanted)
    }

    /// The saved tokens that the app accepts; nil if there are none, or the vault is locked.
    private func usable(_ wanted: TokenRequest) throws -> SavedTokens? {
        let saved: SavedTokens?
        do {
            saved = try desk.withTokens(of: request) { try $0.find(wanted.wish) }
        } catch let locked as Vault.Locked {
            writeToLog("saved tokens are not used: \(locked)")
            return nil
        }
        return saved.flatMap { wanted.accepts($0) ? $0 : nil }
    }

    private func isGood(_ saved: SavedTokens, for wanted: TokenRequest) -> Bool {
        saved.isFresh(at: desk.surroundings.now()) && saved.accessToken != wanted.refusedToken
    }

    /// - Returns: nil if there is no refresh token, or the provider no longer accepts it.
    private func renew(
        _ saved: SavedTokens, _ wanted: TokenRequest, _ settings: Settings
    ) async throws -> SavedTokens? {
        guard let refreshToken = saved.refreshToken else { return nil }
        let provider = try await desk.provider(wanted, settings: settings)
        let flow = CodeFlow(wanted, redirectURI: wanted.redirectURI, at: provider)
        do {
            let tokens = try await flow.refresh(saved, with: refreshToken)
            try save(tokens)
            return tokens
        } catch let refusal as Provider.Refusal where refusal.error == "invalid_grant" {
            _ = try desk.withTokens(of: request) { store in
                try store.remove { $0.wish == saved.wish && $0.refreshToken == refreshToken }
            }
            return nil
        }
    }

    /// Tries silently first, then asks the person, if that is allowed.
    /// - Returns: nil if the person canceled.
    private func authorize(
        _ wanted: TokenRequest, _ settings: Settings, isSilent: Bool
    ) async throws -> SavedTokens? {
        if isSilent, let prompt = wanted.prompt, prompt != "none" {
            throw AuthorizationFailure(.notInteractive, "The app wants prompt=\(prompt), and nobody may be asked.")
        }
        let provider = try await desk.provider(wanted, settings: settings)
        let endpoint = URL(string: provider.metadata.authorizationEndpoint) ?? request.url
        if isSilent || wanted.prompt == nil && desk.mayBeSignedIn(at: endpoint) {
            do {
                return try await attempt(wanted, provider, settings, isSilent: true)
            } catch let failure as AuthorizationFailure where failure.isNotInteractive {
                if await desk.signInAsDevice(endpoint, settings) {
                    return try await attempt(wanted, provider, settings, isSilent: isSilent)
                }
                if isSilent { throw failure }
            }
        }
        return try await attempt(wanted, provider, settings, isSilent: false)
    }

    private func attempt(
        _ wanted: TokenRequest, _ provider: Provider, _ settings: Settings, isSilent: Bool
    ) async throws -> SavedTokens? {
        let flow = CodeFlow(wanted, redirectURI: wanted.redirectURI, at: provider)
        let url = try flow.url(isSilent: isSilent)
        let issuer = URL(string: wanted.wish.issuer)
        let session = desk.webSession(
            for: request, settings: settings, starts: [url] + [issuer].compactMap { $0 }, isInteractive: !isSilent,
            isDestination: flow.isReturn)
        defer { desk.jar.save() }
        let ending =
            isSilent
            ? try await desk.silentRequests.pass(url.origin) { try await session.run(HTTPRequest(url)) }
            : try await session.run(HTTPRequest(url))
        switch ending {
        case .left(let url) where flow.isReturn(url): return try await finish(flow, url.parameters)
        case .posts(let page) where flow.isReturn(page.action): return try await finish(flow, page.fields)
        case .left(let url):
            throw AuthorizationFailure(.failed, "The provider leads to \(url.place), which is not the return URL.")
        case .posts(let page):
            throw AuthorizationFailure(
                .failed, "The provider leads to \(page.action.place), which is not the return URL.")
        case .canceled: return nil
        case .refused(let reason):
            // A silent request may have been refused only because of `prompt=none`.
            throw AuthorizationFailure(
                isSilent ? .notInteractive : .failed,
                "The provider refuses the request: \(reason). Does it know the client_id “\(wanted.wish.client)” with the "
                    + "redirect_uri “\(wanted.redirectURI)”?")
        case .unreadable(let reason):
            guard !isSilent else {
                throw AuthorizationFailure(.notInteractive, "A browser is needed to sign in: \(reason).")
            }
            writeToLog("shown in a browser: \(reason)")
            return try await authorizeInBrowser(wanted, provider)
        }
    }

    private func authorizeInBrowser(_ wanted: TokenRequest, _ provider: Provider) async throws -> SavedTokens? {
        var flow: CodeFlow?
        let answer = try await request.presentWebPage { returnURL in
            let made = CodeFlow(wanted, redirectURI: returnURL.absoluteString, at: provider)
            flow = made
            return try made.url(isSilent: false)
        }
        guard let answer, let flow else { return nil }
        return try await finish(flow, answer.parameters)
    }

    private func finish(_ flow: CodeFlow, _ answer: [FormField]) async throws -> SavedTokens {
        let tokens = try await flow.finish(answer)
        try save(tokens)
        return tokens
    }

    /// If the vault is locked, the tokens are still returned to the app but not saved. The log says so.
    private func save(_ tokens: SavedTokens) throws {
        do {
            try desk.withTokens(of: request) { try $0.save(tokens) }
        } catch let locked as Vault.Locked {
            writeToLog("tokens are not saved: \(locked)")
        }
    }

    /// Answers the app. The refresh token is never part of the answer.
    private func complete(with tokens: SavedTokens, _ wanted: TokenRequest) {
        var answer: [String: PropertyListValue] = [
            "access_token": .string(tokens.accessToken), "token_type": .string(tokens.tokenType),
            "scope": .string(tokens.scope),
        ]
        answer["id_token"] = tokens.identityToken.map { .string($0) }
        answer["state"] = wanted.state.map { .string($0) }
        answer["expires_in"] = tokens.expiresAt.map {
            .integer(Int64(max(0, $0.timeIntervalSince(desk.surroundings.now()))))
        }
        complete(with: answer)
    }

    private func complete(with answer: [String: PropertyListValue]) {
        guard let body = try? JSONEncoder.stable.encode(answer) else {
            return request.complete(error: AuthorizationFailure(.failed, "The answer cannot be written."))
        }
        request.complete(
            httpResponse: ASHTTPResponse(
                url: request.url, statusCode: 200,
                headerFields: [HeaderField("Content-Type", "application/json"), noStore]),
            httpBody: body)
    }

    /// Makes a DPoP proof for one request of the app, which has a token that is bound to this device. RFC 9449 §7.
    func answerProof(_ settings: Settings) throws {
        let options = request.authorizationOptions
        guard settings.dpop, let method = options["method"]?.text,
            let url = options["url"]?.text.flatMap({ URL(string: $0) }), url.isSafe,
            let token = options["access_token"]?.text
        else {
            throw AuthorizationFailure(
                .failed, "dpopProof needs method, url and access_token, and a profile with ExtensionData.dpop.")
        }
        let isOfCaller = try desk.withTokens(of: request) { try $0.all().contains { $0.accessToken == token } }
        guard isOfCaller else { throw AuthorizationFailure(.failed, "The access token is not one of this app.") }
        let proof = try desk.deviceKey().proof(
            method: method, url: url, nonce: options["nonce"]?.text, accessToken: token,
            surroundings: desk.surroundings)
        complete(with: ["dpop": .string(proof)])
    }
}
