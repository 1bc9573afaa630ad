import Ground
import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The HTTP client that sends the requests of a ``SingleSignOnFlow``. It follows no redirections and keeps no cookies
/// itself.
package protocol SingleSignOnTransport {
    associatedtype Request: SingleSignOnRequest
    associatedtype Response: SingleSignOnResponse

    /// Thrown when there are too many redirections.
    static var redirectLimitReached: any Error { get }

    /// - Throws: the client's own errors, also when ``SingleSignOnCall/timeLeft`` is over.
    mutating func send(_ request: Request, in call: SingleSignOnCall) async throws -> Response

    /// Turns an extension's response to a request into one of the client's, as if it had come from the site.
    mutating func response(_ response: WebResponse, to request: Request) -> Response
}

/// Single sign-on during one call of an HTTP client, whichever client it is.
///
/// Before a GET that a redirect extension serves, the extension is asked, and its answer is processed: cookies are
/// kept, a redirection is followed, a small form is posted. After a 401 from a host that a credential extension serves,
/// the request is sent again with the headers that the extension gives.
/// docs/specifications/extensible-single-sign-on.md, 16, 17.3 and 18.
package struct SingleSignOnFlow<Transport: SingleSignOnTransport> {
    package private(set) var transport: Transport
    private let call: SingleSignOnCall
    private let cookies: CookieJar
    private let redirectsMax: Int
    private var redirects = 0
    /// The URLs about which an extension was asked. Each is asked about once, so that redirections cannot ask without
    /// an end.
    private var asked: Set<String> = []

    /// - Parameters:
    ///   - redirectsMax: how many redirections are followed before
    ///     ``SingleSignOnTransport/redirectLimitReached`` is thrown; with 0 the response that redirects is the answer.
    package init(transport: Transport, call: SingleSignOnCall, cookies: CookieJar, redirectsMax: Int) {
        self.transport = transport
        self.call = call
        self.cookies = cookies
        self.redirectsMax = redirectsMax
    }

    /// - Throws: errors of the transport, and those of ``SingleSignOnCall/ask(_:)``.
    package mutating func run(_ request: Transport.Request) async throws -> Transport.Response {
        var request = request
        while true {
            switch try await step(request) {
            case .done(let response): return response
            case .next(let following):
                redirects += 1
                guard redirects <= redirectsMax else { throw Transport.redirectLimitReached }
                request = following
            }
        }
    }

    private enum Step {
        case done(Transport.Response)
        case next(Transport.Request)
    }

    private mutating func step(_ request: Transport.Request) async throws -> Step {
        guard let url = URL(string: request.url) else {
            // Let the HTTP client report what is wrong with the URL.
            return .done(try await transport.send(request, in: call))
        }
        if let response = try await askBefore(request, url) {
            cookies.store(response.headers.values(of: "set-cookie"), from: url)
            return follow(response, to: request, url)
        }
        var response = try await send(request, url)
        let conversation = Conversations.next()
        var legs = 0
        // The second round is for schemes with two steps; a third 401 goes to the caller.
        while response.statusCode == 401, legs < 2, request.canBeSentAgain,
            let headers = try await askAfter(response, to: request, conversation)
        {
            // Keeps the connection open: some schemes authenticate the connection and not the request.
            await response.drain()
            response = try await send(request, url, authorization: headers)
            legs += 1
        }
        guard redirectsMax > 0, let target = response.redirectTarget(from: url),
            legs == 0 || Self.keepsSecret(from: url, to: target),
            let following = request.redirected(from: url, to: target, status: response.statusCode)
        else { return .done(response) }
        await response.drain()
        return .next(following)
    }

    /// Whether headers from the broker stay protected after a redirection: what was sent over TLS is sent on over TLS
    /// only.
    private static func keepsSecret(from url: URL, to target: URL) -> Bool {
        guard let from = WebOrigin(of: url), let to = WebOrigin(of: target) else { return false }
        return to.isSafeForSecrets || !from.isSecure
    }

    /// - Parameter authorization: headers that the broker gave for this request; they are added to no other.
    private mutating func send(
        _ request: Transport.Request, _ url: URL, authorization: [HeaderField] = []
    ) async throws -> Transport.Response {
        var request = request
        request.headerFields.remove(Set(authorization.map { $0.name.lowercased() }))
        request.headerFields += authorization
        request.addCookies(cookies.values(for: url))
        let response = try await transport.send(request, in: call)
        cookies.store(response.headerFields.values(of: "set-cookie"), from: url)
        return response
    }

    // MARK: Asking the extension

    /// - Returns: the response that replaces the request; nil if the request is sent as usual.
    private mutating func askBefore(_ request: Transport.Request, _ url: URL) async throws -> WebResponse? {
        guard request.verb == "GET", let origin = WebOrigin(of: url), asked.insert(request.url).inserted else {
            return nil
        }
        var covered = request
        covered.addCookies(cookies.values(for: url))
        var message = BrokerRequest(url: request.url)
        message.headers = covered.headerFields
        guard let outcome = try await call.ask(message), outcome.outcome == .response,
            let response = outcome.response, WebOrigin(of: response.url) == origin
        else { return nil }
        return response
    }

    private func askAfter(
        _ response: Transport.Response, to request: Transport.Request, _ conversation: String
    ) async throws -> [HeaderField]? {
        var message = BrokerRequest(url: request.url)
        message.responseCode = 401
        message.conversation = conversation
        message.serverCertificate = response.serverCertificate
        message.headers = response.headerFields
        guard let outcome = try await call.ask(message), outcome.outcome == .headers else { return nil }
        var headers = outcome.authorizationHeaders ?? []
        // An extension must not decide where a message begins and ends, nor to whom it is sent.
        headers.remove([
            "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer",
            "proxy-authorization",
        ])
        return headers.isEmpty ? nil : headers
    }

    /// Continues with an extension's response as if it had come from the URL.
    private mutating func follow(_ response: WebResponse, to request: Transport.Request, _ url: URL) -> Step {
        let answer = transport.response(response, to: request)
        guard redirectsMax > 0 else { return .done(answer) }
        if let target = answer.redirectTarget(from: url), Self.keepsSecret(from: url, to: target),
            let following = request.redirected(from: url, to: target, status: response.status)
        {
            return .next(following)
        }
        if response.status == 200, let form = SelfPostingForm(page: response.body ?? Data(), url: url) {
            return .next(request.submitting(form, from: url))
        }
        return .done(answer)
    }
}

/// Words for the requests of this process that may be challenged, none of them twice.
private enum Conversations {
    private static let last = Atomic<UInt64>(0)

    static func next() -> String { "\(last.wrappingAdd(1, ordering: .relaxed).newValue)" }
}
