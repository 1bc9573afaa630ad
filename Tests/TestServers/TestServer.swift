import AsyncHTTPClient
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Hummingbird
import Logging
import ServiceLifecycle
import Storage
import TestSupport
@testable import ServerHTTP

/// A whole server on a free port of this machine.
struct TestServer: Sendable {
    static let baseURL = "https://id.school.example"

    let scene: Scene
    let port: Int
    let log: LogRecorder
    let client: HTTPClient
    private let services: ServiceGroup

    var fixed: FixedSurroundings { scene.fixed }
    var database: any Database { scene.database }
    var quizzler: TestApp { scene.quizzler }
    var rival: TestApp { scene.rival }
    var maple: District { scene.maple }
    var origin: String { "http://127.0.0.1:\(port)" }

    func browser() -> Browser { Browser(origin: origin, client: client) }

    func stop() async { await services.triggerGracefulShutdown() }

    /// Runs `body` against a server on a new database.
    static func with(
        on kind: TestDatabase = .sqlite, at start: Date = FixedSurroundings.start, studentCount: Int = 5,
        notificationURL: String? = nil,
        configure: (inout ServerConfiguration) throws -> Void = { _ in },
        hasher: (Surroundings) -> PasswordHasher = { PasswordHasher(cost: .low, surroundings: $0) },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await Gate.servers.admit {
            try await kind.with { database in
                let scene = try await Scene.insert(
                    in: database, studentCount: studentCount, notificationURL: notificationURL, at: start)
                try await run(scene, configure: configure, hasher: hasher, body)
            }
        }
    }

    /// Runs `body` against a server on an existing database.
    static func run(
        _ scene: Scene, configure: (inout ServerConfiguration) throws -> Void = { _ in },
        hasher: (Surroundings) -> PasswordHasher = { PasswordHasher(cost: .low, surroundings: $0) },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = try ServerConfiguration(baseURL: baseURL)
        // Nothing listens there.
        configuration.nameServers = "127.0.0.1:1"
        configuration.port = 0
        configuration.notificationInterval = .milliseconds(10)
        configuration.jobInterval = .milliseconds(10)
        // Nothing is cleared away in the middle of a test that takes long beside others.
        configuration.tidyingInterval = .seconds(3_600)
        // Allowed because the receivers of tests are on this machine.
        configuration.notifiesPrivateNetworks = true
        try configure(&configuration)
        let log = LogRecorder()
        let surroundings = scene.fixed.surroundings
        let server = try await LanyardServer(
            configuration: configuration, database: scene.database, masterKey: scene.masterKey,
            hasher: hasher(surroundings), surroundings: surroundings,
            logger: log.logger)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
        let notifications = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: LanyardServer.notificationClient)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let service = server.service(
            httpClient: notifications,
            listeningAt: try ListeningSocket(host: configuration.host, port: configuration.port)
        ) { continuation.yield($0) }
        let services = ServiceGroup(configuration: .init(services: [service], logger: log.logger))
        let result: Result<Void, any Error> = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await services.run()
                continuation.finish()
            }
            var running = ports.makeAsyncIterator()
            guard let port = await running.next() else { return .failure(DidNotStart()) }
            let result: Result<Void, any Error>
            do {
                try await body(
                    TestServer(scene: scene, port: port, log: log, client: client, services: services))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // The server would give its connections time for one more request.
            try? await client.shutdown()
            await services.triggerGracefulShutdown()
            await group.waitForAll()
            return result
        }
        // Whatever came of it: a client that goes without this ends the process. If it has ended above, this changes nothing.
        try? await client.shutdown()
        try await notifications.shutdown()
        try result.get()
    }

    struct DidNotStart: Error {}
}
