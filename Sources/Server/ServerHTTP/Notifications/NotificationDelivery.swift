import AsyncHTTPClient
import Authorization
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Delivers the notifications in the queue, until the server stops.
struct NotificationDelivery: Service {
    /// Posts a body and returns the status of the answer.
    typealias Post = @Sendable (_ url: String, _ body: String, _ contentType: String) async throws -> Int

    let queue: NotificationOutbox
    let post: Post
    let interval: Duration
    let logger: Logger

    func run() async throws {
        await RepeatedWork.run(every: interval, failure: "notifications were not read", logger) {
            try await RepeatedWork.drain({ try await queue.takeDue(limit: 16, limitPerApp: 4) }, deliver: deliver)
        }
    }

    @Sendable private func deliver(_ notification: OutgoingNotification) async throws {
        let problem: String
        var isSilence = false
        let body = try await queue.body(of: notification)
        do {
            let status = try await post(notification.url, body, notification.contentType)
            if (200..<300).contains(status) {
                try await queue.recordDelivery(of: notification)
                logger.info("notification delivered", metadata: ["jti": "\(notification.jti)"])
                return
            }
            problem = "HTTP status \(status)"
        } catch is CancellationError {
            return  // the lease runs out, and the next start delivers it
        } catch {
            problem = "\(error)"
            isSilence = true
        }
        let next = try await queue.recordFailure(of: notification, error: problem, isSilence: isSilence)
        logger.warning(
            next == nil ? "notification given up" : "notification not delivered",
            metadata: ["jti": "\(notification.jti)", "problem": "\(problem)"])
    }
}

extension NotificationDelivery {
    /// Posts a body, with a time limit of ten seconds for the answer.
    /// - Parameters:
    ///   - client: configured with ``LanyardServer/notificationClient``.
    ///   - reachesPrivate: whether a notification may be sent into a private network.
    static func post(with client: HTTPClient, reachesPrivate: Bool) -> Post {
        { url, body, contentType in
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: contentType)
            request.headers.add(name: "User-Agent", value: "Lanyard")
            request.body = .bytes(ByteBuffer(string: body))
            guard !reachesPrivate else { return try await execute(request, with: client) }
            let host = (URLComponents(string: url)?.encodedHost ?? "").filter { !"[]".contains($0) }
            return try await execute(request, pinnedTo: try await PublicAddresses.find(host), of: host, client)
        }
    }

    /// Sends the request to the address that was checked. The name is not looked up again, but the certificate has to
    /// be for the name. Each notification has a connection of its own, because the name may lead elsewhere the next
    /// time.
    private static func execute(
        _ request: HTTPClientRequest, pinnedTo address: String, of host: String, _ client: HTTPClient
    ) async throws -> Int {
        var configuration = LanyardServer.notificationClient
        configuration.dnsOverride = [host: address]
        let pinned = HTTPClient(eventLoopGroupProvider: .shared(client.eventLoopGroup), configuration: configuration)
        do {
            let status = try await execute(request, with: pinned)
            try await pinned.shutdown()
            return status
        } catch {
            try? await pinned.shutdown()
            throw error
        }
    }

    private static func execute(_ request: HTTPClientRequest, with client: HTTPClient) async throws -> Int {
        Int(try await client.execute(request, timeout: .seconds(10)).status.code)
    }
}

extension LanyardServer {
    /// The configuration of the client for notifications.
    package static var notificationClient: HTTPClient.Configuration {
        // Redirects are not followed, because a notification goes only to the registered address.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // The queue repeats failed attempts later. A server that is down must not occupy an attempt until its time is
        // over.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
