import Foundation
import Ground
import LanyardAPI
import LanyardClient
import Logging

/// Asks the service whether a person may still use the app, once for all requests that want to know.
actor DailyCheck {
    enum Outcome: Sendable {
        /// With the address that the person shares now.
        case allowed(email: String?, at: Date)
        /// The person has stopped using the app, or is not let.
        case gone
        /// The service does not answer.
        case unknown
    }

    private let client: LanyardClient
    private let asking = SingleFlights<String, Outcome>()
    private var recent: [String: (outcome: Outcome, at: Date)] = [:]

    /// Requests that came with the same cookie get the same outcome; and a service that does not answer is left alone.
    private static let memory: TimeInterval = 300
    private static let recentMax = 10_000

    init(client: LanyardClient) {
        self.client = client
    }

    /// - Parameter patience: A page does not wait for longer; the answer will be there for another one.
    func outcome(for session: Session, refreshToken: String, patience: Duration, logger: Logger) async -> Outcome {
        if let known = remembered(refreshToken) { return known }
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
        Task {
            let outcome = try? await asking.run(refreshToken) { [self] in
                await ask(about: session, refreshToken: refreshToken, logger: logger)
            }
            continuation.yield(outcome ?? .unknown)
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

    private func ask(about session: Session, refreshToken: String, logger: Logger) async -> Outcome {
        // Another may have asked since this one looked.
        if let known = remembered(refreshToken) { return known }
        let outcome = await Self.ask(client, about: session, refreshToken: refreshToken, logger: logger)
        remember(outcome, of: refreshToken)
        return outcome
    }

    private func remembered(_ refreshToken: String) -> Outcome? {
        recent[refreshToken].flatMap { client.now() < $0.at.addingTimeInterval(Self.memory) ? $0.outcome : nil }
    }

    private func remember(_ outcome: Outcome, of refreshToken: String) {
        let now = client.now()
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
