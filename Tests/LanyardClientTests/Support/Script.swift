import Foundation
import LanyardClient
import Synchronization

/// A transport that gives prepared responses in order and records the requests, and a clock that stands still.
final class Script: Sendable {
    enum Step: Sendable {
        case answer(Int, String, [String: String])
        case failure
    }

    private struct State {
        var steps: [Step]
        var requests: [WireRequest] = []
        var sleeps: [Duration] = []
        var now = Date(timeIntervalSince1970: 1_767_225_600)
    }

    private let state: Mutex<State>

    init(_ steps: [Step] = []) {
        state = Mutex(State(steps: steps))
    }

    var requests: [WireRequest] { state.withLock { $0.requests } }
    /// The part after the roster's base URL in each request, with the query.
    var rosterPaths: [String] {
        requests.map(\.url).filter { $0.contains("/rosterapi/v1") }
            .map { String($0.dropFirst("https://lanyard.example/rosterapi/v1".count)) }
    }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }
    var now: Date { state.withLock { $0.now } }
    var isFinished: Bool { state.withLock { $0.steps.isEmpty } }

    func append(_ steps: Step...) {
        state.withLock { $0.steps += steps }
    }

    func advance(by seconds: TimeInterval) {
        state.withLock { $0.now += seconds }
    }

    func client(_ configure: (inout LanyardClient.Configuration) -> Void = { _ in }) throws -> LanyardClient {
        var configuration = LanyardClient.Configuration.fixture
        configure(&configuration)
        return try LanyardClient(
            configuration: configuration,
            transport: { try self.respond(to: $0) },
            now: { self.now },
            sleep: { duration in self.state.withLock { $0.sleeps.append(duration) } }
        )
    }

    /// A client of the standard profile. Its waits advance the clock.
    func openIDClient(clientSecret: String? = nil) -> OpenIDClient {
        OpenIDClient(
            configuration: OpenIDClient.Configuration(
                baseURL: "https://lanyard.example/", clientID: "org.hillfield.planner", clientSecret: clientSecret),
            transport: { try self.respond(to: $0) },
            now: { self.now },
            sleep: { try await self.sleepAndAdvance($0) }
        )
    }

    /// A native app. Its waits advance the clock.
    func provider(timeLimit: Duration = Script.patience) -> LanyardIDProvider {
        var configuration = LanyardIDProvider.Configuration(
            baseURL: "https://lanyard.example/", clientID: "org.hillfield.planner")
        configuration.timeLimit = timeLimit
        return LanyardIDProvider(
            configuration: configuration,
            transport: { try self.respond(to: $0) },
            now: { self.now },
            sleep: { try await self.sleepAndAdvance($0) }
        )
    }

    /// The time limit for a person in tests in which the person does come: it never passes.
    static let patience = Duration.seconds(300)

    private func sleepAndAdvance(_ duration: Duration) async throws {
        if duration == Self.patience { try await Task.sleep(for: .seconds(86_400)) }  // until it is canceled
        state.withLock { state in
            state.sleeps.append(duration)
            state.now += Double(duration.components.seconds)
        }
    }

    /// A session whose access token `a0` is valid for an hour.
    func session(_ client: LanyardClient) -> RosterSession {
        RosterSession(
            client: client, refreshToken: "r0",
            accessToken: AccessToken(value: "a0", expiresAt: now.addingTimeInterval(3_600)))
    }

    private func respond(to request: WireRequest) throws -> WireResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.isEmpty ? .answer(599, "The script is over.", [:]) : state.steps.removeFirst()
        }
        switch step {
        case .answer(let status, let body, let headers):
            return WireResponse(status: status, headers: headers, body: Data(body.utf8))
        case .failure:
            throw LanyardClientError.transport("connection lost")
        }
    }
}

extension Script.Step {
    static func ok(_ body: String) -> Self { .answer(200, body, [:]) }
    static func status(_ status: Int, _ headers: [String: String] = [:]) -> Self { .answer(status, "", headers) }
    static func token(_ value: String) -> Self {
        .ok(#"{"access_token":"\#(value)","token_type":"Bearer","expires_in":3600}"#)
    }
    static func refusal(_ error: String) -> Self { .answer(400, #"{"error":"\#(error)"}"#, [:]) }
    static func users(_ ids: String..., next: String? = nil) -> Self {
        let users = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        let end = next.map { #""moreToFollow":true,"nextPageToken":"\#($0)""# } ?? #""moreToFollow":false"#
        return .ok(#"{"users":[\#(users)],\#(end)}"#)
    }
}

extension LanyardClient.Configuration {
    static var fixture: Self {
        LanyardClient.Configuration(
            baseURL: "https://lanyard.example/", clientID: "org.hillfield.planner", teamID: "T4Z8N1C6PQ",
            keyID: "K7Q2M9X4TB", privateKeyPEM: TestKeys.clientPEM)
    }
}

extension WireRequest {
    /// The fields of a form or a query, decoded.
    var parameters: [String: String] {
        let text =
            switch method {
            case .post(let form): form
            case .get: String(url.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
            }
        let pairs = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            uniqueKeysWithValues: pairs.map {
                (String($0[0]), String($0.dropFirst().first ?? "").removingPercentEncoding!)
            })
    }
}

extension AsyncSequence {
    func collect() async throws -> [Element] {
        try await reduce(into: []) { $0.append($1) }
    }
}
