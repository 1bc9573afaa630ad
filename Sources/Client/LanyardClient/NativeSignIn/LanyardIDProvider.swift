import AsyncHTTPClient
import Foundation
import LanyardAPI

/// Signs the person in front of a command line or a device in to the app that it belongs to.
///
/// The names, and what they mean, are those of AuthenticationServices, with `LanyardID` in them:
///
/// ```swift
/// let provider = LanyardIDProvider(
///     configuration: .init(baseURL: "https://lanyard.example", clientID: "example.quizzler"))
/// var request = provider.createRequest()
/// request.requestedScopes = [.fullName, .email]
/// request.nonce = nonce  // from your server
/// let authorization: LanyardAuthorization = try await LanyardAuthorizationController(
///     authorizationRequests: [request]
/// ).performRequests()
/// // Send to the app's server: authorization.credential.authorizationCode, .identityToken, .fullName
/// ```
///
/// A program that runs on people's machines has no secret. So the app's server exchanges the code, with
/// `SignInClient.exchange(code:redirectURI:)` and no redirect URI, and verifies the identity token.
public struct LanyardIDProvider: Sendable {
    public struct Configuration: Equatable, Sendable {
        /// The origin of the service, without a slash at the end.
        public var baseURL: String
        /// The client id of the app itself, not that of a web site that belongs to it.
        public var clientID: String
        /// The `iss` of tokens. Tokens of the device flow have `{baseURL}/oidc`.
        public var issuer: String
        /// How long to wait for the person.
        public var timeLimit = Duration.seconds(300)
        /// The allowed difference between the service's clock and ours when a token is verified.
        public var clockTolerance = Duration.seconds(60)
        /// The time limit for one request with its whole answer.
        public var requestTimeout = Duration.seconds(30)

        /// - Parameter issuer: the base URL itself unless given.
        public init(baseURL: String, clientID: String, issuer: String? = nil) {
            self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
            self.clientID = clientID
            self.issuer = issuer ?? self.baseURL
        }

        fileprivate var standard: OpenIDClient.Configuration {
            var standard = OpenIDClient.Configuration(baseURL: baseURL, clientID: clientID)
            standard.clockTolerance = clockTolerance
            standard.requestTimeout = requestTimeout
            return standard
        }
    }

    public let configuration: Configuration
    /// The same server, by its standard endpoints.
    let openID: OpenIDClient
    let keys: VerificationKeys

    var transport: Transport { openID.transport }
    var now: @Sendable () -> Date { openID.now }
    var sleep: @Sendable (Duration) async throws -> Void { openID.sleep }

    /// - Parameters:
    ///   - httpClient: the client for all requests. Redirects never get secrets, whatever its configuration.
    ///   - now: the clock by which tokens expire.
    ///   - sleep: waits for the person, at most as long as the time limit.
    public init(
        configuration: Configuration,
        httpClient: HTTPClient = .withoutRedirects,
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.init(
            configuration,
            OpenIDClient(configuration: configuration.standard, httpClient: httpClient, now: now, sleep: sleep))
    }

    package init(
        configuration: Configuration,
        transport: @escaping Transport,
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.init(
            configuration,
            OpenIDClient(configuration: configuration.standard, transport: transport, now: now, sleep: sleep))
    }

    private init(_ configuration: Configuration, _ openID: OpenIDClient) {
        self.configuration = configuration
        self.openID = openID
        keys = VerificationKeys(
            url: configuration.baseURL + "/auth/keys", transport: openID.transport, now: openID.now)
    }

    /// A request to be configured and passed to a `LanyardAuthorizationController`.
    public func createRequest() -> LanyardIDRequest {
        LanyardIDRequest(provider: self)
    }

    /// The present state of a person who has signed in on this device before. Ask for it when the program starts.
    /// - Parameter userID: `LanyardIDCredential.user`
    /// - Throws: `LanyardClientError`. Do not sign anybody out because the service cannot be reached.
    public func credentialState(forUserID userID: String) async throws -> CredentialState {
        let parameters: FormParameters = ["client_id": configuration.clientID, "user": userID]
        let request = WireRequest(
            .post(form: parameters.encoded), configuration.baseURL + "/auth/credentialstate")
        let response = try await transport(request).accepted().decode(CredentialStateResponse.self)
        return CredentialState(response.state)
    }

    /// The present state of a person who has signed in on this device before, for callers that do not wait: the same as
    /// ``credentialState(forUserID:)``.
    /// - Parameters:
    ///   - userID: `LanyardIDCredential.user`
    ///   - completion: called once, on an arbitrary thread, with the state and nil; or with an error, beside which the
    ///     state is ``CredentialState/notFound`` and has no meaning: do not sign anybody out then.
    public func getCredentialState(
        forUserID userID: String,
        completion: @escaping @Sendable (CredentialState, (any Error)?) -> Void
    ) {
        Task {
            do {
                completion(try await credentialState(forUserID: userID), nil)
            } catch {
                completion(.notFound, error)
            }
        }
    }

    /// Whether a person still uses the app. The raw values are those of AuthenticationServices.
    public enum CredentialState: Int, Sendable {
        /// The person has stopped using the app: sign them out.
        case revoked = 0
        /// The person uses the app.
        case authorized = 1
        /// The person does not use the app: show the sign-in.
        case notFound = 2
        /// The app has moved to another team: a request with `user` set gets the person's new identifier.
        case transferred = 3

        init(_ state: CredentialStateResponse.State) {
            switch state {
            case .revoked: self = .revoked
            case .authorized: self = .authorized
            case .notFound: self = .notFound
            case .transferred: self = .transferred
            }
        }
    }
}
