import AsyncHTTPClient
import Ground
import Logging
import NIOCore
import NIOHTTP1
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An `HTTPClient` whose requests go through the device's single sign-on, with no change to the program but the type.
///
/// Before a GET that a redirect extension serves, the extension is asked, and its answer followed: cookies are kept, a
/// redirection is gone after, a small form is posted. After a 401 from a host that a credential extension serves, the request
/// is sent again with the headers that the extension gives; a proxy that asks with 407 gets them when the tunnel is opened.
/// Everything else, and everything without a broker, is as with `HTTPClient`. Operations of ``ASAuthorizationController`` give a
/// better flow: the program then chooses when the person is asked.
/// docs/specifications/extensible-single-sign-on.md, 16, 17.3 and 18.
///
/// Redirections are followed here, so that each can be looked at; cookies are kept in ``cookies``. The time that an extension
/// takes is not counted against a request's deadline: a person may be signing in.
public final class SingleSignOnHTTPClient: Sendable {
    public let cookies = CookieJar()
    private let clients: ProxiedClients
    private let broker: BrokerClient
    private let presentation: BrokerRequest.Presentation
    private let redirectsMax: Int
    private let proxy: HTTPClient.Configuration.Proxy?

    /// - Parameters:
    ///   - configuration: of the `HTTPClient` below, but for its redirections.
    ///   - redirectsMax: so many are followed, then `HTTPClientError.redirectLimitReached` is thrown; with 0 the response that
    ///     redirects is the answer.
    ///   - anchor: where extensions may ask the person; for a program that nobody watches, ``ASPresentationAnchor/none``.
    ///   - broker: another one than the user's own, for tests.
    public init(
        eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
        configuration: HTTPClient.Configuration = .init(), redirectsMax: Int = 10,
        presentation anchor: ASPresentationAnchor = .desktop, broker: BrokerClient = BrokerClient()
    ) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        // A proxy that asks who is there would be asked again in vain until the time is over.
        if configuration.proxy != nil { configuration.connectionPool.retryConnectionEstablishment = false }
        let made = configuration
        clients = ProxiedClients { authorization in
            var configuration = made
            if let authorization { configuration.proxy?.authorization = authorization }
            return HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
        }
        presentation = anchor.presentation
        proxy = configuration.proxy
        self.broker = broker
        self.redirectsMax = redirectsMax
    }

    /// As with `HTTPClient`, this is to be called before the last reference goes.
    public func shutdown() async throws { try await clients.shutdown() }

    /// - Throws: as `HTTPClient`; ``ASAuthorizationError`` with ``ASAuthorizationError/Code/canceled`` if the person does not
    ///   want to sign in.
    public func execute(
        _ request: HTTPClientRequest, timeout: TimeAmount, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        try await execute(request, deadline: .now() + timeout, logger: logger)
    }

    /// - Throws: as ``execute(_:timeout:logger:)``.
    public func execute(
        _ request: HTTPClientRequest, deadline: NIODeadline, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        var chain = Chain(deadline: deadline, logger: logger)
        var request = request
        while true {
            switch try await step(request, &chain) {
            case .done(var response):
                response.history = chain.history
                return response
            case .next(let following):
                chain.redirects += 1
                guard chain.redirects <= redirectsMax else { throw HTTPClientError.redirectLimitReached }
                request = following
            }
        }
    }

    /// What is known of one call, from its first request to its last response.
    private struct Chain {
        var deadline: NIODeadline
        let logger: Logger?
        var history: [HTTPClientRequestResponse] = []
        var redirects = 0
        /// An extension has answered these, or left them alone: they are not intercepted twice.
        var asked: Set<String> = []

        /// Ten seconds at most.
        var timeLeft: TimeAmount { min(max(deadline - .now(), .nanoseconds(1)), .seconds(10)) }
    }

    private enum Step {
        case done(HTTPClientResponse)
        case next(HTTPClientRequest)
    }

    private func step(_ request: HTTPClientRequest, _ chain: inout Chain) async throws -> Step {
        guard let url = URL(string: request.url) else {
            return .done(try await clients.newest.execute(request, deadline: chain.deadline, logger: chain.logger))
        }
        if let response = try await askBefore(request, url, &chain) {
            cookies.store(response.headers.values(of: "set-cookie"), from: url)
            return follow(response, to: request, url, &chain)
        }
        var response = try await send(request, url, &chain)
        var legs = 0
        // A second leg is for schemes that need one; after a third refusal the program has the word.
        while response.status == .unauthorized, legs < 2, request.canBeSentAgain,
            let headers = try await askAfter(response, to: request, &chain)
        {
            // To keep the connection, which some schemes sign in instead of the request.
            await Self.drain(response)
            response = try await send(request, url, authorization: headers, &chain)
            legs += 1
        }
        guard redirectsMax > 0, let target = response.redirectTarget(from: url),
            legs == 0 || Self.keepsSecret(from: url, to: target),
            let following = request.redirected(from: url, to: target, status: response.status)
        else { return .done(response) }
        await Self.drain(response)
        return .next(following)
    }

    /// Reads what nobody looks at, so that the connection serves again; a server that does not come to an end loses it.
    private static func drain(_ response: HTTPClientResponse) async {
        _ = try? await withTimeLimit(.seconds(2)) { try await response.body.collect(upTo: 64 << 10) }
    }

    /// Whether what the broker gave stays as safe on the way as it was: what came over TLS goes on over TLS.
    private static func keepsSecret(from url: URL, to target: URL) -> Bool {
        guard let from = WebOrigin(of: url), let to = WebOrigin(of: target) else { return false }
        return to.isSafeForSecrets || !from.isSecure
    }

    private func send(
        _ request: HTTPClientRequest, _ url: URL, authorization: [HeaderField] = [], _ chain: inout Chain
    ) async throws -> HTTPClientResponse {
        var request = request
        // What the broker gave for this request is in no other.
        for name in Set(authorization.map { $0.name.lowercased() }) { request.headers.remove(name: name) }
        for header in authorization { request.headers.add(name: header.name, value: header.value) }
        request.addCookies(cookies.values(for: url))
        let response = try await throughProxy(request, url, &chain)
        cookies.store(response.headers["set-cookie"], from: url)
        chain.history.append(
            HTTPClientRequestResponse(
                request: request,
                responseHead: HTTPResponseHead(
                    version: response.version, status: response.status, headers: response.headers)))
        return response
    }

    /// A proxy that wants to know who asks is told once. It sees no request before it opens the tunnel: there is nothing of it
    /// that could not be sent again.
    private func throughProxy(
        _ request: HTTPClientRequest, _ url: URL, _ chain: inout Chain
    ) async throws -> HTTPClientResponse {
        do {
            return try await clients.newest.execute(request, deadline: chain.deadline, logger: chain.logger)
        } catch let error as HTTPClientError where error == .proxyAuthenticationRequired {
            guard let authorization = try await askForProxy(url, &chain) else { throw error }
            return try await clients.client(authorization).execute(
                request, deadline: chain.deadline, logger: chain.logger)
        }
    }

    // MARK: The extension's word

    /// - Returns: what takes the place of the request; nil if it goes on as usual.
    private func askBefore(
        _ request: HTTPClientRequest, _ url: URL, _ chain: inout Chain
    ) async throws -> WebResponse? {
        guard request.method == .GET, let origin = WebOrigin(of: url), chain.asked.insert(request.url).inserted else {
            return nil
        }
        var asked = request
        asked.addCookies(cookies.values(for: url))
        var message = BrokerRequest(url: request.url)
        message.headers = asked.headers.map { HeaderField($0.name, $0.value) }
        guard let outcome = try await ask(message, &chain), outcome.outcome == .response,
            let response = outcome.response, WebOrigin(of: response.url) == origin
        else { return nil }
        return response
    }

    private func askAfter(
        _ response: HTTPClientResponse, to request: HTTPClientRequest, _ chain: inout Chain
    ) async throws -> [HeaderField]? {
        var message = BrokerRequest(url: request.url)
        message.responseCode = 401
        message.headers = response.headers.map { HeaderField($0.name, $0.value) }
        guard let outcome = try await ask(message, &chain), outcome.outcome == .headers else { return nil }
        let headers = (outcome.authorizationHeaders ?? []).filter { !Self.framing.contains($0.name.lowercased()) }
        return headers.isEmpty ? nil : headers
    }

    /// Headers that say where a message begins and ends, and who it is for: never an extension's to set.
    private static let framing: Set = [
        "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "proxy-authorization",
    ]

    /// What the proxy wants to hear before it opens a tunnel to a site.
    private func askForProxy(_ url: URL, _ chain: inout Chain) async throws -> HTTPClient.Authorization? {
        guard let proxy, let site = WebOrigin(of: url) else { return nil }
        var message = BrokerRequest(url: "http://\(proxy.host.inURL):\(proxy.port)/")
        message.responseCode = 407
        do {
            message.headers = try await ProxyQuestion.ask(proxy, for: site, within: chain.timeLeft)
        } catch {
            chain.logger?.debug("\(error)")
        }
        guard message.headers != nil, let outcome = try await ask(message, &chain), outcome.outcome == .headers else {
            return nil
        }
        return outcome.authorizationHeaders?["proxy-authorization"].flatMap(
            HTTPClient.Authorization.init(proxyAuthorization:))
    }

    /// - Returns: nil if no extension covers the URL, or the broker does not answer.
    private func ask(_ message: BrokerRequest, _ chain: inout Chain) async throws -> BrokerOutcome? {
        var message = message
        message.presentation = presentation
        let start = NIODeadline.now()
        defer { chain.deadline = chain.deadline + (.now() - start) }
        do {
            // The question is answered within a second, whatever state the broker is in.
            let match = try await broker.match(url: message.url, responseCode: message.responseCode ?? 0)
            guard match.coversRequests else { return nil }
            let outcome =
                presentation == .terminal
                ? try await TerminalPresenter().perform(message, with: broker) : try await broker.perform(message)
            if outcome.outcome == .canceled { throw ASAuthorizationError(outcome) }
            return outcome
        } catch let problem as any BrokerProblem {
            chain.logger?.debug("\(problem)")
            return nil
        }
    }

    /// Goes on with an extension's response as if it came from the URL.
    private func follow(
        _ response: WebResponse, to request: HTTPClientRequest, _ url: URL, _ chain: inout Chain
    ) -> Step {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.remove(name: "transfer-encoding")
        headers.replaceOrAdd(name: "content-length", value: "\(response.body?.count ?? 0)")
        let status = HTTPResponseStatus(statusCode: response.status)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        chain.history.append(HTTPClientRequestResponse(request: request, responseHead: head))
        let answer = HTTPClientResponse(
            status: status, headers: headers, body: .bytes(ByteBuffer(bytes: response.body ?? Data())))
        guard redirectsMax > 0 else { return .done(answer) }
        if let target = answer.redirectTarget(from: url), Self.keepsSecret(from: url, to: target),
            let following = request.redirected(from: url, to: target, status: status)
        {
            return .next(following)
        }
        if status == .ok, let form = SelfPostingForm(page: response.body ?? Data(), url: url) {
            return .next(request.submitting(form, from: url))
        }
        return .done(answer)
    }
}
