import AsyncHTTPClient
import Ground
import Logging
import NIOCore
import NIOHTTP1
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends the requests of one call with `HTTPClient`, and records them.
struct AsyncHTTPTransport: SingleSignOnTransport {
    static var redirectLimitReached: any Error { HTTPClientError.redirectLimitReached }

    let clients: ProxiedClients
    /// The proxy that the clients use; nil if they use none.
    let proxy: HTTPClient.Configuration.Proxy?
    private(set) var history: [HTTPClientRequestResponse] = []

    init(clients: ProxiedClients, proxy: HTTPClient.Configuration.Proxy?) {
        self.clients = clients
        self.proxy = proxy
    }

    mutating func send(_ request: HTTPClientRequest, in call: SingleSignOnCall) async throws -> HTTPClientResponse {
        let response = try await throughProxy(request, call)
        remember(
            request, HTTPResponseHead(version: response.version, status: response.status, headers: response.headers))
        return response
    }

    mutating func response(_ response: WebResponse, to request: HTTPClientRequest) -> HTTPClientResponse {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.remove(name: "transfer-encoding")
        headers.replaceOrAdd(name: "content-length", value: "\(response.body?.count ?? 0)")
        let status = HTTPResponseStatus(statusCode: response.status)
        remember(request, HTTPResponseHead(version: .http1_1, status: status, headers: headers))
        return HTTPClientResponse(
            status: status, headers: headers, body: .bytes(ByteBuffer(bytes: response.body ?? Data())))
    }

    private mutating func remember(_ request: HTTPClientRequest, _ head: HTTPResponseHead) {
        history.append(HTTPClientRequestResponse(request: request, responseHead: head))
    }

    // MARK: Proxies

    /// Sends the request again, once, if the proxy requires authorization. That is always possible: the proxy refuses
    /// before it opens the tunnel, so no part of the request has been sent.
    private func throughProxy(
        _ request: HTTPClientRequest, _ call: SingleSignOnCall
    ) async throws -> HTTPClientResponse {
        do {
            return try await clients.newest.execute(request, deadline: call.deadline, logger: call.logger)
        } catch let error as HTTPClientError where error == .proxyAuthenticationRequired {
            guard let authorization = try await askForProxy(request, call) else { throw error }
            return try await clients.client(authorization).execute(
                request, deadline: call.deadline, logger: call.logger)
        }
    }

    /// Asks the broker for the authorization that the proxy requires; nil if it gives none.
    private func askForProxy(
        _ request: HTTPClientRequest, _ call: SingleSignOnCall
    ) async throws -> HTTPClient.Authorization? {
        guard let proxy, let site = URL(string: request.url).flatMap(WebOrigin.init(of:)) else { return nil }
        var message = BrokerRequest(url: "http://\(proxy.host.inURL):\(proxy.port)/")
        message.responseCode = 407
        do {
            let time = min(max(TimeAmount(call.timeLeft), .nanoseconds(1)), .seconds(10))
            message.headers = try await ProxyQuestion.ask(proxy, for: site, within: time)
        } catch {
            call.logger?.debug("\(error)")
        }
        guard message.headers != nil, let outcome = try await call.ask(message), outcome.outcome == .headers else {
            return nil
        }
        return outcome.authorizationHeaders?["proxy-authorization"].flatMap(
            HTTPClient.Authorization.init(proxyAuthorization:))
    }
}

extension SingleSignOnCall {
    fileprivate var deadline: NIODeadline { .now() + TimeAmount(timeLeft) }
}

extension HTTPClientRequest: SingleSignOnRequest {
    package var verb: String {
        get { method.rawValue }
        set { method = HTTPMethod(rawValue: newValue) }
    }

    package var headerFields: [HeaderField] {
        get { headers.map { HeaderField($0.name, $0.value) } }
        set { headers = HTTPHeaders(newValue.map { ($0.name, $0.value) }) }
    }

    /// `HTTPClient` keeps this information private, so it is read by reflection; a body of a form that is not known
    /// counts as false.
    package var canBeSentAgain: Bool {
        guard let body else { return true }
        guard let mode = Mirror(reflecting: body).children.first(where: { $0.label == "mode" })?.value,
            let kind = Mirror(reflecting: mode).children.first
        else { return false }
        switch kind.label {
        case "byteBuffer": return true
        case "sequence":
            return Mirror(reflecting: kind.value).children.first { $0.label == "canBeConsumedMultipleTimes" }?.value
                as? Bool == true
        default: return false
        }
    }

    package mutating func setBody(_ text: String?) { body = text.map { .bytes(ByteBuffer(string: $0)) } }
}

extension HTTPClientResponse: SingleSignOnResponse {
    package var statusCode: Int { Int(status.code) }

    package var headerFields: [HeaderField] { headers.map { HeaderField($0.name, $0.value) } }

    /// Gives up the connection if more than 64 KiB arrive, or if the body has not ended within two seconds.
    package func drain() async {
        _ = try? await withTimeLimit(.seconds(2)) { try await body.collect(upTo: 64 << 10) }
    }
}
