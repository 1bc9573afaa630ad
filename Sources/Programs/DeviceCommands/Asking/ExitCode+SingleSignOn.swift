import ArgumentParser
import CommandOutput
import Ground
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

extension ExitCode {
    /// No extension handles the URL or the request: continue without single sign-on.
    static let notCovered = ExitCode(4)
    /// The person canceled.
    static let canceled = ExitCode(5)
    /// No broker is running, or it does not answer.
    static let noBroker = ExitCode(6)
    /// The person would have to be asked, but the options do not allow that.
    static let notInteractive = ExitCode(7)
}

/// Ends a command with a sentence on the standard error and one of the exit codes above.
struct SingleSignOnFailure: Error {
    let code: ExitCode
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ outcome: BrokerOutcome) {
        // Escaped, so that an extension's message cannot add lines that look like ours.
        let message =
            outcome.error.map { "\($0.message.printable()) (\(outcome.reason.sentence))" } ?? outcome.reason.sentence
        let code: ExitCode =
            switch outcome.outcome {
            case .notHandled: .notCovered
            case .canceled: .canceled
            case .failed where outcome.isNotInteractive: .notInteractive
            case .failed, .response, .headers, .empty: .failure
            }
        self.init(code, message)
    }
}

extension BrokerOutcome {
    var isNotInteractive: Bool {
        reason == .notInteractive
            || error?.domain == AuthorizationFailure.authorizationDomain
                && error?.code == AuthorizationFailure.Code.notInteractive.rawValue
    }

    var isSuccess: Bool { outcome == .response || outcome == .headers || outcome == .empty }
}

/// Runs a command that asks the broker, and turns errors into a line on the standard error and an exit code.
func reportingSingleSignOn(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let failure as SingleSignOnFailure {
        printToStandardError("Error: \(failure.message)")
        throw failure.code
    } catch let problem as BrokerUnavailable {
        printToStandardError("Error: \(problem) \(problem.remedy)")
        throw ExitCode.noBroker
    } catch let problem as any BrokerProblem {
        throw Failure(problem.description)
    }
}

extension BrokerUnavailable {
    /// A sentence on how to get a broker running, depending on the environment.
    var remedy: String {
        if let named = ProcessInfo.processInfo.environment[BrokerProtocol.socketVariable], !named.isEmpty {
            return "\(BrokerProtocol.socketVariable) names it: start the lanyard-broker of that socket, or unset it."
        }
        // sd_booted(3)
        return access("/run/systemd/system", F_OK) == 0
            ? "Start it with `systemctl --user start lanyard-broker.socket`."
            : "Start lanyard-broker with your session; `lanyard-broker --help` says how."
    }
}
