import Ground
import NIOCore
import SingleSignOnWire

extension ExtensionHost {
    struct Timing: Sendable {
        /// Until an answer, while nothing is shown.
        var silent: TimeAmount = .seconds(60)
        /// Until an answer, while a person is asked.
        var presenting: TimeAmount = .minutes(10)
        /// Without a request, until the extension is stopped. At zero it is stopped after every request.
        var idle: TimeAmount = .seconds(10)
        /// After a crash; it doubles with each, up to the longest.
        var backOff: TimeAmount = .seconds(1)
        var longestBackOff: TimeAmount = .seconds(60)
    }

    /// How a request ended, on the extension's side.
    enum Result: Sendable {
        case answered(ExtensionAnswer)
        case ended(BrokerReason, Problem?)
    }

    /// Why there is no answer, in words.
    struct Problem: Sendable {
        /// For the log and the administrator.
        let detail: String
        /// For callers: where programs lie is none of their business.
        let told: String

        /// - Parameter program: that the words may name, by its path.
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
        /// A page in a browser, which comes back to the return URL that was given.
        case page(String)

        /// Why it cannot be shown; nil if it can.
        var problem: AuthorizationFailure? {
            guard case .page(let url) = self, WebOrigin(of: url) == nil else { return nil }
            return AuthorizationFailure(.failed, "Only pages with http or https are shown.")
        }
    }

    /// Shows things to the person behind one request.
    protocol Presenter: Sendable {
        func show(_ display: Display) async -> PresentationResult
        /// - Returns: nil if no browser can come back here.
        func returnURL() async -> String?
        /// The request is over.
        func close() async
    }

    /// Why there is nothing that requests could go to. The program that the words name is the one that was started: the
    /// manifest may be another by the time somebody hears of it.
    struct CannotRun: Error {
        let problem: Problem

        init(_ problem: Problem) { self.problem = problem }

        static func endedAtOnce(_ how: String?) -> CannotRun {
            CannotRun(Problem("it ended as soon as it was started" + (how.map { ": \($0)" } ?? "")))
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
