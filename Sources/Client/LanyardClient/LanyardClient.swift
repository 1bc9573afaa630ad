import AsyncHTTPClient
import Foundation
import LanyardAPI

/// One app, as seen from its own server: it signs people in (`signIn`), asks an organization for consent, gets tokens for
/// it, reads its roster, and verifies what the service has signed.
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
/// Every method throws `LanyardClientError`, or `CancellationError` if its task is cancelled during a request or a wait.
/// New access tokens and the service's keys are asked for once for all who need them, and such a request is not
/// cancelled with one of them: a cancelled call then waits for its end, at most `Configuration.requestTimeout`.
public struct LanyardClient: Sendable {
    public let configuration: Configuration
    let transport: Transport
    let secretSigner: ClientSecretSigner
    /// The keys with which data sharing signs, and those for signing people in. Lanyard has one set for both; the protocol
    /// promises nothing about it.
    let dataSharingKeys: VerificationKeys
    let signInKeys: VerificationKeys
    package let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - httpClient: Its redirects are not followed with anything secret, whatever it is configured to do.
    ///   - now: The time by which secrets are issued and tokens expire.
    ///   - sleep: Waits before another attempt.
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

    /// What signs people in to this app.
    public var signIn: SignInClient { SignInClient(client: self) }

    /// A reader of the organization to which the session belongs.
    public func roster(_ session: RosterSession) -> RosterReader {
        RosterReader(client: self, session: session)
    }
}
