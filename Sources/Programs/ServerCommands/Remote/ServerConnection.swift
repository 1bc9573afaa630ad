import AsyncHTTPClient
import CommandOutput
import Foundation
import Ground
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks a server over HTTP.
struct ServerConnection: Sendable {
    let server: ServerAddress

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: Data
    }

    /// Redirects are not followed, because requests contain secrets.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        // A person waits at the terminal: a wrong address should fail at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)  // never shut down
    }()

    /// The time limit for an answer. The server does slower work as a job.
    private static let patience = TimeAmount.seconds(120)
    private static let bodyBytesMax = 256 << 20
    /// How many times a request is repeated that the server refuses for its rate limit, and for how many seconds at
    /// most it waits each time.
    private static let (waits, waitMax) = (5, 60)

    /// - Parameters:
    ///   - path: the path with its query, beginning with a slash.
    ///   - isRepeatable: whether the request may be sent again if the connection fails on the way.
    /// - Throws: ``Failure`` if the server cannot be reached.
    func send(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: Data? = nil, isRepeatable: Bool = false
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: server.text + path)
        request.method = method
        request.headers = headers
        request.headers.add(name: "User-Agent", value: "lanyard/\(Version.text)")
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        var (waits, isRepeatable) = (Self.waits, isRepeatable)
        while true {
            let answer: Answer
            do {
                answer = try await Self.execute(request)
            } catch {
                guard isRepeatable else {
                    throw Failure("\(server.text) cannot be reached: \(Self.reason(error)). Check address and network.")
                }
                isRepeatable = false
                continue
            }
            guard answer.status == 429, waits > 0 else { return answer }
            waits -= 1
            let seconds = answer.headers.first(name: "Retry-After").flatMap { Int($0) } ?? 1
            try await Task.sleep(for: .seconds(min(max(seconds, 1), Self.waitMax)))
        }
    }

    private static func execute(_ request: HTTPClientRequest) async throws -> Answer {
        let response = try await client.execute(request, timeout: patience)
        let body = try await response.body.collect(upTo: bodyBytesMax)
        return Answer(status: Int(response.status.code), headers: response.headers, body: Data(body.readableBytesView))
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription.lowercased()
        case is NIOConnectionError: "nothing answers there"
        default: "\(error)"
        }
    }

    /// Posts a form to the server, as OAuth requires.
    func post(_ path: String, _ form: [FormField]) async throws -> Answer {
        try await send(
            .POST, path, headers: ["Content-Type": FormEncoding.contentType],
            body: Data(FormEncoding.encode(form).utf8))
    }
}
