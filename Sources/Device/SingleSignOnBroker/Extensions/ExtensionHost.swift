import Foundation
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

/// One extension of one user: it is started when somebody asks, stopped when nobody does, and given up when it hangs.
///
/// extensible-sso.md sections 6.6 and 6.7.
actor ExtensionHost {
    private typealias Ask = OpenRequest<ExtensionProcess>

    private let loop: any EventLoop
    private let timing: Timing
    private let logger: Logger
    private let environment: [String: String]
    private let now: @Sendable () -> Date

    private var manifest: ExtensionManifest
    private var processes = RunningProcesses<ExtensionProcess>()
    private var requests = OpenRequests<ExtensionProcess>()
    /// One thing at a time is shown for an extension, and a request keeps its turn until it ends.
    private var turns = Turns<Ask>()
    private var backOff: BackOff
    private var starting: Task<Swift.Result<ExtensionProcess, CannotRun>, Never>?
    private var idleTimer: Scheduled<Void>?
    private var waitsForDebugger = false
    private var isDebugged = false
    private var isOver = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    init(
        _ manifest: ExtensionManifest, on loop: any EventLoop, timing: Timing, environment: [String: String],
        now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        self.manifest = manifest
        self.loop = loop
        self.timing = timing
        self.environment = environment
        self.now = now
        backOff = BackOff(first: timing.backOff, longest: timing.longestBackOff)
        var logger = logger
        logger[metadataKey: "extension"] = "\(manifest.identity.extensionIdentifier)"
        self.logger = logger
    }

    var status: BrokerStatus.Extension {
        let process = processes.current
        let wait = process == nil ? backOff.left(at: .now()) : nil
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
            lastFailure: backOff.lastFailure, processIdentifier: process?.processIdentifier,
            openRequests: requests.count)
    }

    /// Why it is not asked now, and for how long; nil if it is.
    var backedOff: Problem? { processes.current == nil ? backOff.problem(at: .now()) : nil }

    var isStarting: Bool { starting != nil }

    /// Of everything that runs, also to its end alone.
    var processIdentifiers: [Int32] { processes.all.map(\.processIdentifier) }

    /// Asks the extension, starting it if need be.
    ///
    /// If the task is cancelled, so is the request.
    func perform(_ request: ExtensionRequest, presenter: any Presenter) async -> Result {
        guard !isOver else { return .ended(.stopping, nil) }
        if let backedOff { return .ended(.extensionBackedOff, backedOff) }
        idleTimer?.cancel()
        idleTimer = nil
        let process: ExtensionProcess
        do {
            process = try await runningProcess()
        } catch {
            noteFailure(error.problem)
            return .ended(.extensionFailedToStart, error.problem)
        }
        let key = requests.makeKey()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ask = Ask(key, request, to: process, presenter: presenter, continuation)
                guard !Task.isCancelled else { return finish(ask, .ended(.callerGone, nil)) }
                begin(ask)
            }
        } onCancel: {
            Task { await self.cancel(key) }
        }
    }

    /// What is started from now on; nil if the extension is not on this device any more. What is open goes on to its end.
    func take(_ new: ExtensionManifest?) {
        guard new != manifest else { return }
        if let new { manifest = new }
        leave()
    }

    /// The next start waits for a debugger.
    func waitForDebugger() {
        waitsForDebugger = true
        if requests.isEmpty { leave() }
    }

    func shutDown() {
        isOver = true
        for ask in requests.all { finish(ask, .ended(.stopping, nil)) }
        // What they wanted to keep they have written before they answered.
        for process in processes.all { process.kill() }
        processes.forgetAll()
    }

    private func after(
        _ time: TimeAmount, _ body: @escaping @Sendable (isolated ExtensionHost) -> Void
    ) -> Scheduled<Void> {
        loop.scheduleTask(in: time) { self.assumeIsolated(body) }
    }

    // MARK: Starting and stopping

    /// Tells events of an earlier process from those of the present one. Used on the event loop alone.
    private final class Generation: @unchecked Sendable {
        var process: ExtensionProcess?
        var hasEnded = false
        /// Reports that nobody has a use for: a few come late.
        var strayReports = 0
    }

    /// What requests go to; it is started if it is not there.
    private func runningProcess() async throws(CannotRun) -> ExtensionProcess {
        while true {
            if let process = processes.current { return process }
            let wanted = manifest
            do throws(CannotRun) {
                let started = try await (starting ?? start()).value.get()
                // It may have ended while this request waited for it.
                guard started === processes.current else { throw .endedAtOnce(nil) }
                return started
            } catch {
                // If it is another by now, that one is started.
                guard wanted != manifest, !isOver else { throw error }
            }
        }
    }

    private func start() -> Task<Swift.Result<ExtensionProcess, CannotRun>, Never> {
        let (manifest, waitsForDebugger) = (manifest, waitsForDebugger)
        self.waitsForDebugger = false
        var environment = environment
        if waitsForDebugger { environment[ExtensionProtocol.debugVariable] = "1" }
        let launch = ExtensionProcess.Launch(
            executable: manifest.executable, arguments: manifest.arguments, environment: environment)
        let (generation, logger, loop) = (Generation(), logger, loop)
        let task = Task { () -> Swift.Result<ExtensionProcess, CannotRun> in
            defer { starting = nil }
            let started: ExtensionProcess
            do {
                started = try await ExtensionProcess.start(
                    launch, on: loop,
                    receive: { event in self.assumeIsolated { $0.receive(event, from: generation) } },
                    log: { line in logger.notice("\(line.inShortLine)") })
            } catch {
                return .failure(CannotRun(Problem("\(error)", program: launch.executable)))
            }
            generation.process = started
            guard !generation.hasEnded, !isOver, self.manifest == manifest else {
                let how = generation.hasEnded ? await started.howItEnded() : nil
                started.kill()
                return .failure(.endedAtOnce(how))
            }
            if waitsForDebugger {
                logger.notice("waiting for a debugger", metadata: ["pid": "\(started.processIdentifier)"])
            }
            isDebugged = waitsForDebugger
            processes.start(started)
            return .success(started)
        }
        starting = task
        return task
    }

    /// No further request goes to the process. What is open goes on with it; what comes later starts another.
    private func leave() {
        idleTimer?.cancel()
        idleTimer = nil
        if let left = processes.retire() { letGoIfUnused(left) }
    }

    private func letGoIfUnused(_ process: ExtensionProcess) {
        if process !== processes.current, !requests.isUsed(process) { letGo(process) }
    }

    /// Lets a process end, and kills one that does not heed that.
    private func letGo(_ process: ExtensionProcess) {
        guard processes.letGo(process) else { return }
        process.stop()
        _ = after(ExtensionProcess.killDelay) { host in
            process.kill()
            host.processes.forget(process)
        }
    }

    /// A process whose answers cannot be had any more.
    private func lose(_ lost: ExtensionProcess, _ reason: BrokerReason, _ detail: String) {
        processes.retire(lost)
        let left = requests.all(of: lost)
        let problem = Problem(detail)
        // A crash while no request is open is not counted as a failure.
        if !left.isEmpty || reason != .extensionCrashed { noteFailure(problem) }
        for ask in left { finish(ask, .ended(reason, problem)) }
        letGo(lost)
    }

    private func noteFailure(_ problem: Problem) {
        guard let wait = backOff.fail(problem, at: .now(), date: now()) else { return }
        logger.error("\(problem.detail)", metadata: ["waits-seconds": "\(wait.nanoseconds / 1_000_000_000)"])
    }

    // MARK: From the beginning of a request to its end

    private func begin(_ ask: Ask) {
        requests.begin(ask)
        limit(ask, to: isDebugged ? timing.presenting : timing.silent)
    }

    private func limit(_ ask: Ask, to time: TimeAmount) {
        let identifier = ask.identifier
        ask.limit(after(time) { $0.timeOut(identifier) })
    }

    private func timeOut(_ identifier: UInt64) {
        guard let ask = requests.find(identifier) else { return }
        logger.error("no answer in time", metadata: ["request": "\(identifier)"])
        ask.process.send(.cancel(id: identifier))
        finish(ask, .ended(.timedOut, Problem("no answer in time")))
        // Whether it hangs altogether nobody can tell: the next request gets another process.
        if ask.process === processes.current { leave() }
    }

    private func complete(_ ask: Ask, _ answer: ExtensionAnswer) {
        guard ask.isAskedAgain, !answer.isSuccess else { return finish(ask, .answered(answer)) }
        // Not silently, after all: it waits for its turn as before.
        ask.beginsAgain(silently: false)
        begin(ask)
    }

    /// The caller has gone.
    private func cancel(_ key: UInt64) {
        guard let ask = requests.find(key: key) else { return }
        ask.process.send(.cancel(id: ask.identifier))
        finish(ask, .ended(.callerGone, nil))
    }

    private func finish(_ ask: Ask, _ result: Result) {
        requests.remove(ask)
        ask.end(result)
        if case .answered = result { backOff.answered() }
        if turns.giveUp(ask) {
            if case .answered(let answer) = result, answer.isSuccess { askWaitingAgain() }
            if let next = turns.next() { showNow(next) }
        }
        letGoIfUnused(ask.process)
        guard requests.isEmpty, processes.current != nil else { return }
        if timing.idle == .zero { return leave() }
        idleTimer?.cancel()
        idleTimer = after(timing.idle) { if $0.requests.isEmpty { $0.leave() } }
    }

    // MARK: What the extension says

    private func receive(_ event: ExtensionProcess.Event, from generation: Generation) {
        if case .ended = event { generation.hasEnded = true }
        // After its end there may be more on the way.
        guard let process = generation.process, processes.isHeard(process) else { return }
        switch event {
        case .report(let report):
            guard !receive(report, from: process) else { return }
            generation.strayReports += 1
            guard generation.strayReports > Self.strayReportsMax else { return }
            lose(process, .unusableResponse, "the extension sends without end what nobody asked for")
        case .nonsense(let what): lose(process, .unusableResponse, "the extension has sent \(what)")
        case .ended: takeEnd(of: process)
        }
    }

    private func takeEnd(of ended: ExtensionProcess) {
        // What comes now goes to another.
        processes.retire(ended)
        guard requests.isUsed(ended) else { return letGo(ended) }
        Task {
            let how = await ended.howItEnded()
            lose(ended, .extensionCrashed, "the extension ended before it had answered: \(how)")
        }
    }

    /// - Returns: whether anybody has a use for it.
    private func receive(_ report: ExtensionReport, from process: ExtensionProcess) -> Bool {
        switch report {
        case .ready(ExtensionProtocol.version): return false
        case .ready(let version):
            lose(
                process, .extensionFailedToStart,
                "the extension speaks version \(version) of the protocol, this broker \(ExtensionProtocol.version)")
        case .completed(let identifier, let answer):
            guard requests.wasAsked(identifier) else {
                lose(process, .unusableResponse, "the extension has answered what nobody asked")
                return true
            }
            // Nobody waits any more if the caller has gone, or the time is over.
            guard let ask = requests.find(identifier, of: process) else { return false }
            complete(ask, answer)
        case .presentForm(let identifier, let form):
            guard let ask = requests.find(identifier, of: process) else { return false }
            if mayDisplay(ask) { show(.form(form), of: ask) }
        case .presentWebPage(let identifier, let page):
            guard let ask = requests.find(identifier, of: process) else { return false }
            if mayDisplay(ask) { show(.page(page), of: ask) }
        case .prepareWebPage(let identifier):
            guard let ask = requests.find(identifier, of: process) else { return false }
            if mayDisplay(ask) { prepareWebPage(ask) }
        }
        return true
    }

    /// Nobody is shown anything as often as that.
    private func mayDisplay(_ ask: Ask) -> Bool {
        if ask.countDisplay(max: Self.displaysMax) { return true }
        lose(ask.process, .unusableResponse, "the extension has asked \(Self.displaysMax) times to show something")
        return false
    }

    private static let displaysMax = 1_000
    private static let strayReportsMax = 10_000

    // MARK: What is shown

    private func prepareWebPage(_ ask: Ask) {
        let identifier = ask.identifier
        guard ask.mayShow else { return ask.process.send(.returnURL(id: identifier, "")) }
        Task {
            let url = await ask.presenter.returnURL()
            if requests.isOpen(ask, as: identifier) { ask.process.send(.returnURL(id: identifier, url ?? "")) }
        }
    }

    private func show(_ display: Display, of ask: Ask) {
        if let failure = ask.wantsToShow(display) {
            return ask.process.send(.presented(id: ask.identifier, .unavailable(failure)))
        }
        limit(ask, to: timing.presenting)
        if turns.want(ask) { showNow(ask) }
    }

    private func showNow(_ ask: Ask) {
        guard let display = ask.takeDisplay() else { return }
        let identifier = ask.identifier
        limit(ask, to: timing.presenting)
        Task {
            guard requests.isOpen(ask, as: identifier) else { return }
            let result = await ask.presenter.show(display)
            ask.hasShown()
            guard requests.isOpen(ask, as: identifier) else { return }
            // The person has done their part.
            limit(ask, to: timing.silent)
            ask.process.send(.presented(id: identifier, result))
        }
    }

    /// Somebody has signed in: those who wait to be asked the same may not need to be.
    private func askWaitingAgain() {
        for ask in turns.takeWaiting() {
            ask.beginsAgain(silently: true)
            begin(ask)
        }
    }
}
