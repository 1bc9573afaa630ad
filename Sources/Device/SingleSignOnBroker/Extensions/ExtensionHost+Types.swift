import Ground
import NIOCore
import SingleSignOnWire

extension ExtensionHost {
    struct Timing: Sendable {
        /// The time limit for an answer while nothing is shown.
        var silent: TimeAmount = .seconds(60)
        /// The time limit for an answer while a person is asked.
        var presenting: TimeAmount = .minutes(10)
        /// How long an extension without open requests is kept running. At zero it is stopped after every request.
        var idle: TimeAmount = .seconds(10)
        /// How long an extension is left alone after its first failure. It doubles with each further one, up to
        /// `longestBackOff`.
        var backOff: TimeAmount = .seconds(1)
        var longestBackOff: TimeAmount = .seconds(60)
    }

    /// How a request to an extension ended.
    enum Result: Sendable {
        case answered(ExtensionAnswer)
        case ended(BrokerReason, Problem?)
    }

    /// A sentence on why there is no answer.
    struct Problem: Sendable {
        /// For the log and the administrator.
        let detail: String
        /// For callers, which must not learn the paths of programs.
        let told: String

        /// - Parameter program: the path that is replaced in the words for callers.
        init(_ detail: String, program: String? = nil) {
            self.detail = detail
            told = program.map { detail.replacing($0, with: "its program") } ?? detail
        }

        init(detail: String, told: String) {
            self.detail = detail
            self.told = told
        }
    }

    /// What the extension wants a person to see.
    enum Display: Sendable {
        case form(PresentationForm)
        /// The URL of a page for a browser. The page leads back to ``Presenter/returnURL()``.
        case page(String)

        /// Why this cannot be shown; nil if it can be.
        var problem: AuthorizationFailure? {
            guard case .page(let url) = self, WebOrigin(of: url) == nil else { return nil }
            return AuthorizationFailure(.failed, "Only pages with http or https are shown.")
        }
    }

    /// Shows things to the person behind one request.
    protocol Presenter: Sendable {
        func show(_ display: Display) async -> PresentationResult
        /// The URL to which a page leads back; nil if no browser can reach this device's broker.
        func returnURL() async -> String?
        /// To be called when the request is over.
        func close() async
    }

    /// The extension's process cannot be started. The words name the program that was started, because the manifest may
    /// have been replaced since.
    struct CannotRun: Error {
        let problem: Problem

        init(_ problem: Problem) { self.problem = problem }

        /// Says how the process ended, if it has.
        static func endedAtOnce(_ process: ExtensionProcess) async -> CannotRun {
            let how = process.isConnected ? "" : ": \(await process.howItEnded())"
            return CannotRun(Problem("it ended as soon as it was started" + how))
        }
    }
}

extension ExtensionAnswer {
    var isSuccess: Bool {
        switch self {
        case .empty, .headers, .response: true
        case .doNotHandle, .canceled, .failed: false
        }
    }
}

extension AuthorizationFailure {
    static let notInteractive = AuthorizationFailure(.notInteractive, "Nothing may be shown for this request.")
}
