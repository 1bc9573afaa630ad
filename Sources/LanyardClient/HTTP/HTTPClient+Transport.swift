import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

extension HTTPClient {
    /// More than any page holds: 1 000 classes with all their members are a few megabytes.
    private static let bodyBytesMax = 64 << 20

    func transport(timeout: Duration) -> Transport {
        let timeout = TimeAmount(timeout)
        return { request in
            do {
                let response = try await self.execute(HTTPClientRequest(request), timeout: timeout)
                let body = try await response.body.collect(upTo: Self.bodyBytesMax)
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
}

extension HTTPClientRequest {
    fileprivate init(_ request: WireRequest) {
        self.init(url: request.url)
        headers.add(name: "Accept", value: "application/json")
        headers.add(name: "User-Agent", value: "LanyardClient")
        if let accessToken = request.accessToken {
            headers.add(name: "Authorization", value: "Bearer \(accessToken)")
        }
        if case .post(let form) = request.method {
            method = .POST
            headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            body = .bytes(ByteBuffer(string: form))
        }
    }
}
