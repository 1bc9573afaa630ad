import Foundation
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

/// One extension of one user: it is started when somebody asks, stopped when nobody does, and given up when it hangs.
///
/// extensible-sso.md sections 6.6 and 6.7.
actor ExtensionHost {
    var manifest: ExtensionManifest
    let loop: any EventLoop
    let timing: Timing
    let logger: Logger
    let environment: [String: String]
    let now: @Sendable () -> Date

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

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

        fileprivate init(detail: String, told: String) {
            self.detail = detail
            self.told = told
        }
    }

    /// What the extension wants a person to see.
    enum Display: Sendable {
        case form(PresentationForm)
        /// A page in a browser, which comes back to the return URL that was given.
        case page(String)
    }

    /// Shows things to the person behind one request.
    protocol Presenter: Sendable {
        func show(_ display: Display) async -> PresentationResult
        /// - Returns: nil if no browser can come back here.
        func returnURL() async -> String?
        /// The request is over.
        func close() async
    }

    final class Open {
        let key: UInt64
        var request: ExtensionRequest
        let presenter: any Presenter
        var continuation: CheckedContinuation<Result, Never>?
        var process: ExtensionProcess?
        var deadline: Scheduled<Void>?
        var isInterfaceAllowed: Bool
        /// How often it has asked to show something.
        var displays = 0
        /// What it wants to show when its turn comes.
        var waitingToShow: Display?
        var isShown = false
        /// Asked again without anything to be shown, because another has signed in meanwhile.
        var isAskedAgain = false

        init(_ key: UInt64, _ request: ExtensionRequest, presenter: any Presenter) {
            self.key = key
            self.request = request
            self.presenter = presenter
            isInterfaceAllowed = request.isUserInterfaceEnabled
        }

        /// Whether anything may be shown now: not while it is asked again.
        var mayShow: Bool { isInterfaceAllowed && request.isUserInterfaceEnabled }

        func send(_ command: ExtensionCommand) { process?.send(command) }
    }

    /// What requests go to.
    var process: ExtensionProcess?
    /// That, and others that have something open: what they say counts.
    var living: [ExtensionProcess] = []
    /// Those that were told to end, until they must have.
    var leaving: [ExtensionProcess] = []
    var starting: Task<Swift.Result<ExtensionProcess, CannotRun>, Never>?
    var open: [UInt64: Open] = [:]
    var lastIdentifier: UInt64 = 0
    var lastKey: UInt64 = 0
    /// The request whose turn it is to be shown, until it ends.
    var showing: Open?
    /// In order of arrival.
    var queue: [Open] = []
    var idleTimer: Scheduled<Void>?
    /// Since it has answered.
    var lastFailure: BrokerStatus.Extension.Failure?
    /// The same, for callers.
    var lastFailureTold = ""
    var backedOffUntil: NIODeadline?
    var waitsForDebugger = false
    var isDebugged = false
    var isOver = false

    init(
        _ manifest: ExtensionManifest, on loop: any EventLoop, timing: Timing, environment: [String: String],
        now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        self.manifest = manifest
        self.loop = loop
        self.timing = timing
        self.environment = environment
        self.now = now
        var logger = logger
        logger[metadataKey: "extension"] = "\(manifest.identity.extensionIdentifier)"
        self.logger = logger
    }

    var status: BrokerStatus.Extension {
        let wait = process == nil ? backOffLeft : nil
        let state: BrokerStatus.Extension.State =
            if process != nil {
                .running
            } else if wait != nil {
                .backedOff
            } else {
                waitsForDebugger ? .waitsForDebugger : .stopped
            }
        return BrokerStatus.Extension(
            identifier: manifest.identity.extensionIdentifier, name: manifest.displayName, state: state,
            startsAgainAt: wait.map { now().addingTimeInterval(Double($0.nanoseconds) / 1e9) },
            lastFailure: lastFailure, processIdentifier: process?.processIdentifier, openRequests: open.count)
    }

    /// Why it is not asked now, and for how long; nil if it is.
    var backedOff: Problem? {
        guard process == nil, let wait = backOffLeft, let lastFailure else { return nil }
        let rest = "; it is started again in \(wait.nanoseconds / 1_000_000_000 + 1) s"
        return Problem(detail: lastFailure.reason + rest, told: lastFailureTold + rest)
    }

    /// Asks the extension, starting it if need be.
    ///
    /// If the task is cancelled, so is the request.
    func perform(_ request: ExtensionRequest, presenter: any Presenter) async -> Result {
        guard !isOver else { return .ended(.stopping, nil) }
        if let backedOff { return .ended(.extensionBackedOff, backedOff) }
        idleTimer?.cancel()
        idleTimer = nil
        let running: ExtensionProcess
        do {
            running = try await runningProcess()
        } catch {
            noteFailure(error.problem)
            return .ended(.extensionFailedToStart, error.problem)
        }
        lastKey += 1
        let key = lastKey
        let ask = Open(key, request, presenter: presenter)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask.continuation = continuation
                guard !Task.isCancelled else { return finish(ask, .ended(.callerGone, nil)) }
                begin(ask, in: running)
            }
        } onCancel: {
            Task { await self.cancel(key) }
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
