import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization

/// The server of an app that receives notifications.
final class Receiver: Sendable {
    struct Delivery: Sendable {
        let contentType: String?
        let body: String

        /// The JWS in `{"payload": …}`.
        var payload: String? {
            (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String])?["payload"]
        }
    }

    private let deliveries = Mutex<[Delivery]>([])
    private let status = Mutex<HTTPResponse.Status>(.ok)
    private let followed = Mutex(0)
    let port: Int

    private init(port: Int) { self.port = port }

    var url: String { "http://127.0.0.1:\(port)/notifications" }
    var received: [Delivery] { deliveries.withLock { $0 } }

    /// How often the target of the redirect was requested.
    var redirectsFollowed: Int { followed.withLock { $0 } }

    private func followRedirect() -> HTTPResponse.Status {
        followed.withLock { $0 += 1 }
        return .ok
    }

    func answer(with status: HTTPResponse.Status) { self.status.withLock { $0 = status } }

    /// Waits until `count` notifications have arrived, for ten seconds at most.
    func wait(for count: Int) async throws -> [Delivery] {
        for _ in 0..<1_000 where received.count < count { try await Task.sleep(for: .milliseconds(10)) }
        return received
    }

    /// Runs `body` with a receiver on a free port.
    static func with(_ body: @Sendable (Receiver) async throws -> Void) async throws {
        let inbox = Mutex<Receiver?>(nil)
        let router = Router()
        router.post("notifications") { request, _ in
            let buffer = try await request.body.collect(upTo: 1 << 20)
            guard let receiver = inbox.withLock({ $0 }) else { return Response(status: .internalServerError) }
            receiver.deliveries.withLock {
                $0.append(Delivery(contentType: request.headers[.contentType], body: String(buffer: buffer)))
            }
            let status = receiver.status.withLock { $0 }
            return Response(
                status: status, headers: status.kind == .redirection ? [.location: "\(receiver.url)/elsewhere"] : [:])
        }
        router.on("notifications/elsewhere", method: .get) { _, _ in inbox.withLock { $0 }?.followRedirect() }
        router.on("notifications/elsewhere", method: .post) { _, _ in inbox.withLock { $0 }?.followRedirect() }
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let services = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            var running = ports.makeAsyncIterator()
            let receiver = Receiver(port: await running.next() ?? 0)
            inbox.withLock { $0 = receiver }
            do {
                try await body(receiver)
            } catch {
                await services.triggerGracefulShutdown()
                throw error
            }
            await services.triggerGracefulShutdown()
        }
    }
}
