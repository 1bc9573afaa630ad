import Foundation
import LanyardAPI
import LanyardClient
import Logging

/// Asks the service whether a person may still use the app, once for all concurrent requests of the person.
actor DailyCheck {
    enum Outcome: Sendable {
        /// The person may use the app. `email` is the address that the person shares now.
        case allowed(email: String?, at: Date)
        /// The person has stopped using the app, or may not use it any more.
        case gone
        /// The service cannot be reached.
        case unknown
    }

    private let client: LanyardClient
    private var running: [String: Task<Outcome, Never>] = [:]
    private var recent: [String: (outcome: Outcome, at: Date)] = [:]

    /// Seconds for which an outcome is remembered: requests with the same cookie get the same one, and a service that
    /// does not answer is not asked again at once.
    private static let memory: TimeInterval = 300
    private static let recentMax = 10_000

    init(client: LanyardClient) {
        self.client = client
    }

    /// - Parameter patience: how long a page waits. The answer will be there for a later one.
    func outcome(for session: Session, refreshToken: String, patience: Duration, logger: Logger) async -> Outcome {
        let now = client.now()
        if let known = recent[refreshToken], now < known.at.addingTimeInterval(Self.memory) {
            return known.outcome
        }
        let task = running[refreshToken] ?? start(session, refreshToken: refreshToken, logger: logger)
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
        Task {
            continuation.yield(await task.value)
            continuation.finish()
        }
        return await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await outcomes.first { _ in true } ?? .unknown }
            group.addTask {
                try? await Task.sleep(for: patience)
                return .unknown
            }
            defer { group.cancelAll() }
            return await group.next() ?? .unknown
        }
    }

    private func start(_ session: Session, refreshToken: String, logger: Logger) -> Task<Outcome, Never> {
        let task = Task { [client] in
            let outcome = await Self.ask(client, about: session, refreshToken: refreshToken, logger: logger)
            finish(refreshToken, outcome)
            return outcome
        }
        running[refreshToken] = task
        return task
    }

    private func finish(_ refreshToken: String, _ outcome: Outcome) {
        let now = client.now()
        running[refreshToken] = nil
        if recent.count >= Self.recentMax {
            recent = recent.filter { now < $0.value.at.addingTimeInterval(Self.memory) }
        }
        if recent.count >= Self.recentMax { recent = [:] }
        recent[refreshToken] = (outcome, now)
    }

    private static func ask(
        _ client: LanyardClient,
        about session: Session,
        refreshToken: String,
        logger: Logger
    ) async -> Outcome {
        do {
            let tokens = try await client.signIn.refresh(refreshToken)
            guard let token = tokens.identityToken else {
                return .allowed(email: session.person.email, at: client.now())
            }
            let identity = try await client.signIn.verify(
                identityToken: token, nonce: nil, accessToken: tokens.accessToken.value)
            guard identity.subject == session.person.id, identity.account == session.person.account else {
                return .gone
            }
            return .allowed(email: identity.email, at: client.now())
        } catch LanyardClientError.oauth(.invalidGrant, _, _) {
            return .gone
        } catch {
            logger.warning("the daily check of a sign-in failed", metadata: ["error": "\(error)"])
            return .unknown
        }
    }
}
