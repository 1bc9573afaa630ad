import Ground
import Logging
import SingleSignOnWire
import Synchronization

/// One call of an HTTP client: which broker it asks about single sign-on, and how much of its time is left. The time
/// that an extension takes is not counted, because a person may be signing in.
package final class SingleSignOnCall: Sendable {
    package let logger: Logger?
    private let broker: BrokerClient
    private let presentation: BrokerRequest.Presentation
    private let stopwatch = Stopwatch()
    private let timeLimit: Duration
    private let waited = Mutex(Duration.zero)

    /// - Parameters:
    ///   - presentation: where extensions may ask the person.
    ///   - timeLimit: for all requests of the call together.
    package init(
        broker: BrokerClient, presentation: ASPresentationAnchor, timeLimit: Duration, logger: Logger? = nil
    ) {
        self.broker = broker
        self.presentation = presentation.presentation
        self.timeLimit = timeLimit
        self.logger = logger
    }

    /// Zero or negative when the time is over.
    package var timeLeft: Duration { timeLimit + waited.withLock { $0 } - stopwatch.elapsed }

    /// - Returns: nil if no extension covers the URL, or the broker does not answer.
    /// - Throws: ``ASAuthorizationError`` with ``ASAuthorizationError/Code/canceled`` if the person does not want to
    ///   sign in.
    package func ask(_ message: BrokerRequest) async throws -> BrokerOutcome? {
        var message = message
        message.presentation = presentation
        let question = Stopwatch()
        defer { waited.withLock { $0 += question.elapsed } }
        do {
            // The question is answered within a second, whatever state the broker is in.
            let match = try await broker.match(url: message.url, responseCode: message.responseCode ?? 0)
            guard match.coversRequests else { return nil }
            let outcome =
                presentation == .terminal
                ? try await TerminalPresenter().perform(message, with: broker) : try await broker.perform(message)
            if outcome.outcome == .canceled { throw ASAuthorizationError(outcome) }
            return outcome
        } catch let problem as any BrokerProblem {
            logger?.debug("\(problem)")
            return nil
        }
    }
}
