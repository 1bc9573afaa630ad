import LanyardAPI

extension OpenIDClient {
    /// Signs the person in to a program without a web server: with the browser of this machine, which comes back to a
    /// free port of 127.0.0.1 (RFC 8252), or with another device if there is no browser (RFC 8628).
    /// - Parameters:
    ///   - scopes: `openid` is added; with `offlineAccess` there is a refresh token.
    ///   - path: The path of the registered redirect URI, `http://127.0.0.1` with any port.
    ///   - timeLimit: How long to wait for the person.
    /// - Throws: `LanyardClientError.oauth` with `access_denied` if the person did not want to, and with
    ///   `expired_token` if nobody signed in in time.
    public func signIn(
        scopes: [Scope],
        path: String = "/",
        timeLimit: Duration = .seconds(300),
        presentation: any SignInPresentation = TerminalPresentation()
    ) async throws -> OpenIDResult {
        let attempt = AuthorizationAttempt.random()
        let listener: LoopbackListener
        do {
            listener = try await LoopbackListener(
                path: path, delivery: .query,
                isAnswer: { FormFields($0)?["state"]?.equalsInConstantTime(attempt.state) ?? false })
        } catch {
            throw LanyardClientError.transport("\(error)")
        }
        let fields: String?
        do {
            let url = try await authorizationURL(
                redirectURI: listener.redirectURI, scopes: scopes, attempt: attempt)
            guard await presentation.open(url) else {
                await listener.close()
                let device = try await authorizeDevice(scopes: scopes, nonce: attempt.nonce)
                await presentation.show(device)
                return try await tokens(for: device)
            }
            fields = try await listener.answer(within: timeLimit, sleep: sleep)
        } catch {
            await listener.close()
            throw error
        }
        await listener.close()
        guard let fields else { throw LanyardClientError.oauth(.expiredToken, requestID: nil) }
        return try await finish(
            AuthorizationAnswer(fields, state: attempt.state), attempt: attempt, redirectURI: listener.redirectURI)
    }
}
