import AsyncHTTPClient
import Foundation
import LanyardAPI

/// One app, as seen from its own server: it signs people in (`signIn`), asks an organization for consent, gets tokens
/// for it, reads its roster, and verifies what the service has signed.
///
/// ```swift
/// let client = try LanyardClient(configuration: configuration)
/// // Send the administrator's browser here …
/// let attempt = AuthorizationAttempt.random()
/// let url = client.authorizationURL(
///     redirectURI: callback, scopes: [.usersRead, .classesRead], state: attempt.state,
///     nonce: attempt.nonce, codeChallenge: attempt.codeChallenge)
/// // … and when it comes back with a code:
/// let tokens = try await client.exchange(code: code, redirectURI: callback, codeVerifier: attempt.codeVerifier)
/// let session = RosterSession(
///     client: client, refreshToken: tokens.refreshToken!, accessToken: tokens.accessToken)
/// for try await user in client.roster(session).users(role: .student) { … }
/// ```
///
/// Every method throws `LanyardClientError`, or `CancellationError` if its task is canceled during a request or a
/// wait. New access tokens and the service's keys are requested once for all callers that need them. Such a request is
/// not canceled together with one of its callers: a canceled call waits for its end, at most
/// `Configuration.requestTimeout`.
public struct LanyardClient: Sendable {
    public let configuration: Configuration
    let transport: Transport
    let secretSigner: ClientSecretSigner
    /// The keys of data sharing and those of signing in. Lanyard has one set for both, but the protocol does not
    /// guarantee that.
    let dataSharingKeys: VerificationKeys
    let signInKeys: VerificationKeys
    package let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - httpClient: the client for all requests. Redirects never get secrets, whatever its configuration.
    ///   - now: the clock by which secrets are issued and tokens expire.
    ///   - sleep: waits before another attempt.
    /// - Throws: `LanyardClientError.invalidPrivateKey`
    public init(
        configuration: Configuration,
        httpClient: HTTPClient = .withoutRedirects,
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws {
        try self.init(
            configuration: configuration,
            transport: httpClient.transport(timeout: configuration.requestTimeout),
            now: now,
            sleep: sleep
        )
    }

    package init(
        configuration: Configuration,
        transport: @escaping Transport,
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) throws {
        self.configuration = configuration
        self.transport = transport
        self.now = now
        self.sleep = sleep
        secretSigner = try ClientSecretSigner(configuration: configuration, now: now)
        dataSharingKeys = VerificationKeys(
            url: configuration.authorizationBaseURL + "/keys", transport: transport, now: now)
        signInKeys = VerificationKeys(url: configuration.signInBaseURL + "/keys", transport: transport, now: now)
    }

    /// Signs people in to this app.
    public var signIn: SignInClient { SignInClient(client: self) }

    /// A reader of the organization to which the session belongs.
    public func roster(_ session: RosterSession) -> RosterReader {
        RosterReader(client: self, session: session)
    }
}
