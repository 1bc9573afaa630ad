import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LanyardClient
import Logging
import NIOCore
import Synchronization
import Testing
@testable import quizzler

/// Quizzler against a fake service, and a browser that keeps its cookie.
final class TestBrowser: Sendable {
    let service: FakeService
    let store: ConnectionStore
    let people: PeopleStore
    let sync: SyncService
    let file: URL
    let clock: TestClock
    private let client: any TestClientProtocol
    private let cookies = Mutex<[String: String]>([:])

    static let organizationPath = "/organizations/org%2F1"

    struct Answer {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let body: String
        var location: String { headers[.location] ?? "" }
    }

    private init(
        service: FakeService, store: ConnectionStore, people: PeopleStore, sync: SyncService, file: URL,
        clock: TestClock,
        client: any TestClientProtocol
    ) {
        (self.service, self.store, self.people, self.sync) = (service, store, people, sync)
        (self.file, self.clock) = (file, clock)
        self.client = client
    }

    static func with(
        publicURL: String = "http://127.0.0.1:8081",
        _ test: @Sendable (TestBrowser) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quizzler-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = try FakeService()
        let clock = TestClock()
        let client = try service.client(now: { clock.now })
        let store = try ConnectionStore(folder: folder)
        let people = try PeopleStore(folder: folder)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let sync = SyncService(
            client: client, store: store, interval: .seconds(86_400), now: { clock.now }, logger: logger)
        let router = try makeRouter(
            client: client, publicURL: publicURL, secret: Data(repeating: 7, count: 32), people: people, store: store,
            sync: sync, now: { clock.now })
        try await Application(router: router, services: [sync], logger: logger).test(.router) { client in
            try await test(
                TestBrowser(
                    service: service, store: store, people: people, sync: sync,
                    file: folder.appendingPathComponent("quizzler.json"), clock: clock, client: client))
        }
    }

    func get(_ path: String) async throws -> Answer {
        try await send(path, .get, nil)
    }

    func post(_ path: String, _ body: String) async throws -> Answer {
        try await send(path, .post, body)
    }

    /// Presses the button of a form on a page.
    func submit(_ path: String, on page: String) async throws -> Answer {
        let token = try await get(page).body.firstMatch(of: #/name="csrf" value="([0-9a-f]+)"/#)?.1 ?? ""
        return try await post(path, "csrf=\(token)")
    }

    func forgetCookie() {
        cookies.withLock { $0 = [:] }
    }

    /// Somebody else's, who has been nowhere yet.
    func otherBrowser() -> TestBrowser {
        TestBrowser(
            service: service, store: store, people: people, sync: sync, file: file, clock: clock, client: client)
    }

    /// *Continue with Lanyard*, and back.
    @discardableResult
    func signIn(_ visitor: FakeService.Visitor, at path: String = "/sign-in") async throws -> Answer {
        let parameters = URLComponents(string: try await get(path).location)?.queryItems ?? []
        let value = { name in parameters.first { $0.name == name }?.value ?? "" }
        service.change { state in
            state.visitor = visitor
            state.signInNonce = value("nonce")
        }
        let user = visitor.user.map { "&user=\(Link.escaped($0))" } ?? ""
        return try await post("/sign-in/callback", "code=good&state=\(value("state"))\(user)")
    }

    /// *Connect*, *Allow*, and the first sync.
    func connect() async throws {
        let answer = try await get(try await callbackPath())
        #expect(answer.location == Self.organizationPath)
        await finishSync()
    }

    /// Where the service sends the browser after *Allow*.
    func callbackPath(code: String = "good") async throws -> String {
        let parameters = URLComponents(string: try await get("/connect").location)?.queryItems ?? []
        let value = { name in parameters.first { $0.name == name }?.value ?? "" }
        service.change { $0.nonce = value("nonce") }
        return "/connect/callback?code=\(code)&state=\(value("state"))"
    }

    func finishSync() async {
        while sync.progress(of: "org/1") != nil { try? await Task.sleep(for: .milliseconds(2)) }
    }

    private func send(_ path: String, _ method: HTTPRequest.Method, _ body: String?) async throws -> Answer {
        var headers: HTTPFields = [:]
        headers[.accept] = "text/html"
        headers[.cookie] = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        return try await client.execute(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
        ) { response in
            for line in response.headers[values: .setCookie] {
                let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
                self.cookies.withLock { $0[pair[0]] = line.contains("Max-Age=0") ? nil : pair[1] }
            }
            return Answer(status: response.status, headers: response.headers, body: String(buffer: response.body))
        }
    }
}

final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_767_225_600))
    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
