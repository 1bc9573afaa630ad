import AsyncHTTPClient
import Foundation
import Ground
import NIOCore
import NIOHTTP1

extension HTTPClient {
    /// Like `HTTPClient.shared`, but redirects are returned and not followed: nothing in this protocol redirects a
    /// program, and requests contain secrets.
    public static let withoutRedirects: HTTPClient = {
        var configuration = Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)  // never shut down
    }()

    /// The maximum size of an answer. A page with 1 000 classes and all their members has a few megabytes.
    private static let bodyBytesMax = 64 << 20

    /// - Parameter timeout: the time limit for the whole answer, including the body.
    func transport(timeout: Duration) -> Transport {
        let timeout = TimeAmount(timeout)
        return { request in
            do {
                let deadline = NIODeadline.now() + timeout
                let response = try await self.execute(HTTPClientRequest(request), deadline: deadline)
                let body = try await Self.collect(response.body, until: deadline)
                return WireResponse(
                    status: Int(response.status.code),
                    headers: Dictionary(
                        response.headers.map { ($0.name.lowercased(), $0.value) },
                        uniquingKeysWith: { first, _ in first }),
                    body: Data(body.readableBytesView)
                )
            } catch {
                if _Concurrency.Task.isCancelled { throw CancellationError() }  // `Task` is HTTPClient.Task here
                throw LanyardClientError.transport("\(error)")
            }
        }
    }

    /// The deadline of `execute` covers only the head of the answer. Without another one, a stalled body would be
    /// awaited for ever.
    private static func collect(
        _ body: HTTPClientResponse.Body,
        until deadline: NIODeadline
    ) async throws -> ByteBuffer {
        try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            group.addTask { try await body.collect(upTo: bodyBytesMax) }
            group.addTask {
                try await _Concurrency.Task.sleep(for: .nanoseconds((deadline - .now()).nanoseconds))
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            let collected = try await group.next()!  // two tasks were added
            try _Concurrency.Task.checkCancellation()  // a body whose reading was canceled may end early
            return collected
        }
    }
}

extension HTTPClientRequest {
    fileprivate init(_ request: WireRequest) {
        self.init(url: request.url)
        headers.add(name: "Accept", value: "application/json")
        headers.add(name: "User-Agent", value: "LanyardClient")
        if let accessToken = request.accessToken {
            headers.add(name: "Authorization", value: "Bearer \(accessToken)")
        }
        if let key = request.idempotencyKey {
            // A string of a structured field, RFC 8941 section 3.3.3; our keys have no characters to escape.
            headers.add(name: "Idempotency-Key", value: "\"\(key)\"")
        }
        if case .post(let form) = request.method {
            method = .POST
            headers.add(name: "Content-Type", value: FormEncoding.contentType)
            // A body that can be read only once is never sent again to the target of a redirect, whatever client is
            // used.
            let (parts, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(string: form))
            continuation.finish()
            body = .stream(parts, length: .known(Int64(form.utf8.count)))
        }
    }
}
