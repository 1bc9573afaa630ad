import AsyncHTTPClient
import Synchronization

/// The HTTP clients below one ``SingleSignOnHTTPClient``. A proxy's authorization is part of a client's configuration,
/// so there is one client for each authorization. The newest is tried first.
final class ProxiedClients: Sendable {
    /// The largest number of clients: with one more, the oldest is shut down, and its requests fail.
    private static let countMax = 8

    private let make: @Sendable (HTTPClient.Authorization?) -> HTTPClient
    /// Ordered from the oldest to the newest; never empty.
    private let clients: Mutex<[(authorization: HTTPClient.Authorization?, client: HTTPClient)]>

    init(_ make: @escaping @Sendable (HTTPClient.Authorization?) -> HTTPClient) {
        self.make = make
        clients = Mutex([(nil, make(nil))])
    }

    var newest: HTTPClient { clients.withLock { $0[$0.count - 1].client } }

    /// The client that sends `authorization` to the proxy. It becomes the newest.
    func client(_ authorization: HTTPClient.Authorization) -> HTTPClient {
        let (client, oldest) = clients.withLock { clients -> (HTTPClient, HTTPClient?) in
            let known = clients.firstIndex { $0.authorization == authorization }.map { clients.remove(at: $0).client }
            let client = known ?? make(authorization)
            clients.append((authorization, client))
            return (client, clients.count > Self.countMax ? clients.removeFirst().client : nil)
        }
        oldest?.shutdown { _ in }
        return client
    }

    func shutdown() async throws {
        for (_, client) in clients.withLock({ $0 }) { try await client.shutdown() }
    }
}
