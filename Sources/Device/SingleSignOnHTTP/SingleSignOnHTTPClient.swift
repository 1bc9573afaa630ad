import AsyncHTTPClient
import Logging
import NIOCore
import SingleSignOnClient

/// An `HTTPClient` whose requests go through the device's single sign-on, with no change to the program but the type.
///
/// Before a GET that a redirect extension serves, the extension is asked, and its answer is processed: cookies are
/// kept, a redirection is followed, a small form is posted. After a 401 from a host that a credential extension serves,
/// the request is sent again with the headers that the extension gives; a proxy that answers 407 gets them when the
/// tunnel is opened. Everything else works as with `HTTPClient`, and so does everything if there is no broker.
/// Operations of ``ASAuthorizationController`` are more convenient for people, because the program then chooses when
/// the person is asked.
/// docs/specifications/extensible-single-sign-on.md, 16, 17.3 and 18.
///
/// Redirections are followed here, because each may be served by an extension; cookies are kept in ``cookies``. The
/// time that an extension takes is not counted against a request's deadline, because a person may be signing in.
public final class SingleSignOnHTTPClient: Sendable {
    public let cookies = CookieJar()
    private let clients: ProxiedClients
    private let broker: BrokerClient
    private let presentation: ASPresentationAnchor
    private let redirectsMax: Int
    private let proxy: HTTPClient.Configuration.Proxy?

    /// - Parameters:
    ///   - configuration: the configuration of the underlying `HTTPClient`; its settings for redirections are ignored.
    ///   - redirectsMax: how many redirections are followed before `HTTPClientError.redirectLimitReached` is thrown;
    ///     with 0 the redirecting response is the answer.
    ///   - anchor: where extensions may ask the person; for a program that nobody watches,
    ///     ``ASPresentationAnchor/none``.
    ///   - broker: tests pass one that is not the user's own.
    public init(
        eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
        configuration: HTTPClient.Configuration = .init(), redirectsMax: Int = 10,
        presentation anchor: ASPresentationAnchor = .desktop, broker: BrokerClient = BrokerClient()
    ) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        // Without this, the client would repeat the attempt until the deadline, although a proxy that requires
        // authorization keeps refusing.
        if configuration.proxy != nil { configuration.connectionPool.retryConnectionEstablishment = false }
        let made = configuration
        clients = ProxiedClients { authorization in
            var configuration = made
            if let authorization { configuration.proxy?.authorization = authorization }
            return HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
        }
        presentation = anchor
        proxy = configuration.proxy
        self.broker = broker
        self.redirectsMax = redirectsMax
    }

    /// As with `HTTPClient`, call this before the last reference is released.
    public func shutdown() async throws { try await clients.shutdown() }

    /// - Throws: the errors of `HTTPClient`; ``ASAuthorizationError`` with ``ASAuthorizationError/Code/canceled`` if
    ///   the person does not want to sign in.
    public func execute(
        _ request: HTTPClientRequest, timeout: TimeAmount, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        try await execute(request, deadline: .now() + timeout, logger: logger)
    }

    /// - Throws: the errors of ``execute(_:timeout:logger:)``.
    public func execute(
        _ request: HTTPClientRequest, deadline: NIODeadline, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        let call = SingleSignOnCall(
            broker: broker, presentation: presentation,
            timeLimit: .nanoseconds((deadline - .now()).nanoseconds), logger: logger)
        var flow = SingleSignOnFlow(
            transport: AsyncHTTPTransport(clients: clients, proxy: proxy), call: call, cookies: cookies,
            redirectsMax: redirectsMax)
        var response = try await flow.run(request)
        response.history = flow.transport.history
        return response
    }
}
