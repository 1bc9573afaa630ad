import Foundation
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

/// One extension of one user: it is started when somebody asks, stopped when nobody does, and given up when it hangs.
///
/// extensible-sso.md sections 6.6 and 6.7.
actor ExtensionHost {
    nonisolated let manifest: ExtensionManifest
    private let loop: any EventLoop
    private let timing: Timing
    private let logger: Logger
    private let environment: [String: String]

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
        case ended(BrokerReason, String?)
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

    private final class Open {
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

        func send(_ command: ExtensionCommand) { process?.send(command) }
    }

    private var process: ExtensionProcess?
    private var starting: Task<ExtensionProcess, any Error>?
    private var open: [UInt64: Open] = [:]
    private var lastIdentifier: UInt64 = 0
    private var lastKey: UInt64 = 0
    /// The request whose turn it is to be shown, until it ends.
    private var showing: Open?
    /// In order of arrival.
    private var queue: [Open] = []
    private var idleTimer: Scheduled<Void>?
    private var crashes = 0
    private var backedOffUntil: NIODeadline?
    private var waitsForDebugger = false

    init(
        _ manifest: ExtensionManifest, on loop: any EventLoop, timing: Timing, environment: [String: String],
        logger: Logger
    ) {
        self.manifest = manifest
        self.loop = loop
        self.timing = timing
        self.environment = environment
        var logger = logger
        logger[metadataKey: "extension"] = "\(manifest.identity.extensionIdentifier)"
        self.logger = logger
    }

    var processIdentifier: Int32? { process?.processIdentifier }

    var status: BrokerStatus.Extension {
        let state =
            if let backedOffUntil, backedOffUntil > .now() {
                "crashed; it is started again in \(Int64((backedOffUntil - .now()).nanoseconds / 1_000_000_000) + 1) s"
            } else if process != nil {
                "running"
            } else {
                waitsForDebugger ? "stopped; the next start waits for a debugger" : "stopped"
            }
        return BrokerStatus.Extension(
            identifier: manifest.identity.extensionIdentifier, name: manifest.displayName, state: state,
            processIdentifier: process?.processIdentifier, openRequests: open.count)
    }

    /// The next start waits for a debugger.
    func waitForDebugger() {
        waitsForDebugger = true
        if open.isEmpty { stop() }
    }

    /// Asks the extension, starting it if need be.
    ///
    /// If the task is canceled, so is the request.
    func perform(_ request: ExtensionRequest, presenter: any Presenter) async -> Result {
        if let backedOffUntil, backedOffUntil > .now() { return .ended(.extensionBackedOff, nil) }
        idleTimer?.cancel()
        idleTimer = nil
        let running: ExtensionProcess
        do {
            running = try await runningProcess()
            // It may have ended while this request waited for it.
            guard running === process else { throw EndedAtOnce() }
        } catch {
            noteCrash()
            logger.error("it could not be started", metadata: ["error": "\(error)"])
            return .ended(.extensionFailedToStart, "\(error)")
        }
        lastKey += 1
        let key = lastKey
        let ask = Open(key, request, presenter: presenter)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask.continuation = continuation
                guard !Task.isCancelled else { return finish(ask, .ended(.callerGone, nil)) }
                begin(ask, in: running)
            }
        } onCancel: {
            Task { await self.cancel(key) }
        }
        await presenter.close()
        return result
    }

    // MARK: Starting and stopping

    private func runningProcess() async throws -> ExtensionProcess {
        if let process { return process }
        if let starting { return try await starting.value }
        var launch = ExtensionProcess.Launch(
            executable: manifest.executable, arguments: manifest.arguments, environment: environment)
        if waitsForDebugger { launch.environment[ExtensionProtocol.debugVariable] = "1" }
        let (number, logger, loop) = (Generation(), logger, loop)
        let task = Task { [launch] in
            defer { starting = nil }
            let process = try await ExtensionProcess.start(
                launch, on: loop,
                receive: { event in self.assumeIsolated { $0.receive(event, from: number) } },
                log: { line in logger.notice("\(line.printable)") })
            number.process = process
            guard !number.hasEnded, !isOver else {
                process.kill()
                throw EndedAtOnce()
            }
            if waitsForDebugger {
                logger.notice("waiting for a debugger", metadata: ["pid": "\(process.processIdentifier)"])
            }
            isDebugged = waitsForDebugger
            waitsForDebugger = false
            self.process = process
            return process
        }
        starting = task
        return try await task.value
    }

    private var isDebugged = false

    /// Tells events of an earlier process from those of the present one. Used on the event loop alone.
    private final class Generation: @unchecked Sendable {
        var process: ExtensionProcess?
        var hasEnded = false
        /// Reports that nobody has a use for: a few come late.
        var strayReports = 0
    }

    private struct EndedAtOnce: Error, CustomStringConvertible {
        let description = "it ended as soon as it was started"
    }

    /// Lets the process go: what is still open goes on with it, what comes later starts another.
    private func stop() {
        idleTimer?.cancel()
        idleTimer = nil
        guard let process else { return }
        self.process = nil
        process.stop()
    }

    func shutDown() {
        isOver = true
        for ask in open.values { finish(ask, .ended(.stopping, nil)) }
        // What it wanted to keep it has written before it answered.
        process?.kill()
        process = nil
    }

    /// Another takes its place: what is open goes on to its end.
    func retire() {
        isOver = true
        if open.isEmpty { stop() }
    }

    private var isOver = false

    private func noteCrash() {
        let wait = min(timing.longestBackOff.nanoseconds, timing.backOff.nanoseconds << min(crashes, 16))
        crashes += 1
        backedOffUntil = .now() + .nanoseconds(wait)
    }

    // MARK: Requests

    private func begin(_ ask: Open, in process: ExtensionProcess) {
        lastIdentifier += 1
        ask.request.id = lastIdentifier
        ask.process = process
        open[lastIdentifier] = ask
        schedule(ask, in: isDebugged ? timing.presenting : timing.silent)
        process.send(.begin(ask.request))
    }

    private func schedule(_ ask: Open, in time: TimeAmount) {
        ask.deadline?.cancel()
        let identifier = ask.request.id
        ask.deadline = loop.scheduleTask(in: time) { self.assumeIsolated { $0.timeOut(identifier) } }
    }

    private func timeOut(_ identifier: UInt64) {
        guard let ask = open[identifier] else { return }
        logger.error("no answer in time", metadata: ["request": "\(identifier)"])
        ask.process?.send(.cancel(id: identifier))
        let hung = ask.process
        finish(ask, .ended(.timedOut, "no answer in time"))
        // Whether it hangs altogether nobody can tell: the next request gets another process.
        if let hung, hung === process {
            process = nil
            if !open.values.contains(where: { $0.process === hung }) { hung.stop() }
        }
    }

    /// The caller has gone.
    private func cancel(_ key: UInt64) {
        guard let ask = open.values.first(where: { $0.key == key }) else { return }
        ask.process?.send(.cancel(id: ask.request.id))
        finish(ask, .ended(.callerGone, nil))
    }

    private func finish(_ ask: Open, _ result: Result) {
        open[ask.request.id] = nil
        ask.deadline?.cancel()
        queue.removeAll { $0 === ask }
        ask.continuation?.resume(returning: result)
        ask.continuation = nil
        if case .answered = result { (crashes, backedOffUntil) = (0, nil) }
        if showing === ask {
            showing = nil
            if case .answered(let answer) = result, answer.isSuccess { askWaitingAgain() }
            showNext()
        }
        if let left = ask.process, left !== process, !open.values.contains(where: { $0.process === left }) {
            left.stop()
        }
        guard open.isEmpty, process != nil else { return }
        if timing.idle == .zero || isOver { return stop() }
        idleTimer?.cancel()
        idleTimer = loop.scheduleTask(in: timing.idle) { self.assumeIsolated { if $0.open.isEmpty { $0.stop() } } }
    }

    // MARK: What the extension says

    private func receive(_ event: ExtensionProcess.Event, from generation: Generation) {
        switch event {
        case .report(let report): receive(report, from: generation)
        case .nonsense(let what):
            logger.error("it has sent \(what)")
            lose(generation.process, .unusableResponse, "the extension has sent \(what)")
        case .ended:
            generation.hasEnded = true
            lose(generation.process, .extensionCrashed, "the extension ended before it had answered")
        }
    }

    /// A process whose answers cannot be had any more.
    private func lose(_ lost: ExtensionProcess?, _ reason: BrokerReason, _ detail: String) {
        guard let lost else { return }
        let left = open.values.filter { $0.process === lost }
        if !left.isEmpty {
            noteCrash()
            logger.error("\(detail)", metadata: ["requests": "\(left.count)"])
        }
        let wasPresent = process === lost
        if wasPresent { process = nil }
        for ask in left.sorted(by: { $0.request.id < $1.request.id }) { finish(ask, .ended(reason, detail)) }
        // Only now: closing its socket ends with an event of its own.
        if wasPresent || !left.isEmpty { lost.stop() }
    }

    private func receive(_ report: ExtensionReport, from generation: Generation) {
        switch report {
        case .ready(let version):
            guard version != ExtensionProtocol.version else { return noteStray(from: generation) }
            logger.error("it speaks version \(version) of the protocol, this broker \(ExtensionProtocol.version)")
            generation.hasEnded = true
            lose(generation.process, .extensionFailedToStart, "the extension speaks another version of the protocol")
        case .completed(let identifier, let answer):
            guard let ask = open[identifier] else {
                guard identifier <= lastIdentifier else {
                    return lose(generation.process, .unusableResponse, "the extension has answered what nobody asked")
                }
                logger.debug("it has answered a request that is over", metadata: ["request": "\(identifier)"])
                return noteStray(from: generation)
            }
            if ask.isAskedAgain, !answer.isSuccess {
                // Not silently, after all: it waits for its turn as before.
                open[identifier] = nil
                ask.deadline?.cancel()
                ask.isAskedAgain = false
                ask.request.isUserInterfaceEnabled = true
                guard let process = ask.process else { return }
                begin(ask, in: process)
                return
            }
            finish(ask, .answered(answer))
        case .presentForm(let identifier, let form):
            if mayDisplay(identifier, generation) { show(.form(form), of: identifier) }
        case .presentWebPage(let identifier, let page):
            if mayDisplay(identifier, generation) { show(.page(page), of: identifier) }
        case .prepareWebPage(let identifier):
            guard mayDisplay(identifier, generation), let ask = open[identifier] else { return }
            guard ask.isInterfaceAllowed, ask.request.isUserInterfaceEnabled else {
                return ask.send(.returnURL(id: identifier, ""))
            }
            Task {
                let url = await ask.presenter.returnURL()
                if open[identifier] === ask { ask.send(.returnURL(id: identifier, url ?? "")) }
            }
        }
    }

    /// Each of these gets an answer, which waits in memory for an extension that does not read.
    private func mayDisplay(_ identifier: UInt64, _ generation: Generation) -> Bool {
        guard let ask = open[identifier] else {
            noteStray(from: generation)
            return false
        }
        ask.displays += 1
        guard ask.displays > Self.displaysMax else { return true }
        let detail = "the extension has asked \(Self.displaysMax) times to show something"
        lose(generation.process, .unusableResponse, detail)
        return false
    }

    private func noteStray(from generation: Generation) {
        generation.strayReports += 1
        guard generation.strayReports > Self.strayReportsMax else { return }
        lose(generation.process, .unusableResponse, "the extension sends without end what nobody asked for")
    }

    private static let displaysMax = 1_000
    private static let strayReportsMax = 10_000

    // MARK: Showing

    private func show(_ display: Display, of identifier: UInt64) {
        guard let ask = open[identifier] else { return }
        guard ask.isInterfaceAllowed, ask.request.isUserInterfaceEnabled else {
            return ask.send(.presented(id: identifier, .unavailable(.notInteractive)))
        }
        guard !ask.isShown, ask.waitingToShow == nil else {
            let failure = AuthorizationFailure(.failed, "Something is shown for this request already.")
            return ask.send(.presented(id: identifier, .unavailable(failure)))
        }
        if case .page(let url) = display, WebOrigin(of: url) == nil {
            let failure = AuthorizationFailure(.failed, "Only pages with http or https are shown.")
            return ask.send(.presented(id: identifier, .unavailable(failure)))
        }
        schedule(ask, in: timing.presenting)
        ask.waitingToShow = display
        if showing == nil || showing === ask {
            showNow(ask)
        } else if !queue.contains(where: { $0 === ask }) {
            queue.append(ask)
        }
    }

    private func showNow(_ ask: Open) {
        guard let display = ask.waitingToShow else { return }
        showing = ask
        ask.waitingToShow = nil
        ask.isShown = true
        let identifier = ask.request.id
        schedule(ask, in: timing.presenting)
        Task {
            guard open[identifier] === ask else { return }
            let result = await ask.presenter.show(display)
            ask.isShown = false
            guard open[identifier] === ask else { return }
            // The person has done their part.
            schedule(ask, in: timing.silent)
            ask.send(.presented(id: identifier, result))
        }
    }

    private func showNext() {
        guard showing == nil, !queue.isEmpty else { return }
        showNow(queue.removeFirst())
    }

    /// Somebody has signed in: those who wait to be asked the same may not need to be.
    private func askWaitingAgain() {
        let waiting = queue
        queue = []
        for ask in waiting {
            guard let process = ask.process else { continue }
            process.send(.cancel(id: ask.request.id))
            open[ask.request.id] = nil
            ask.deadline?.cancel()
            ask.waitingToShow = nil
            ask.isAskedAgain = true
            ask.request.isUserInterfaceEnabled = false
            begin(ask, in: process)
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
