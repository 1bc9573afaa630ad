import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// One extension of one user. It is started for the first request, stopped when it has had none for a while, and
/// replaced by another process when it does not answer in time.
///
/// docs/specifications/extensible-single-sign-on.md, 19.
actor ExtensionHost {
    private typealias Ask = OpenRequest<ExtensionProcess>
    private typealias Life = ProcessLife<ExtensionProcess>

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

    /// Why the extension is not asked now, and for how long; nil if it may be asked.
    var backedOff: Problem? { processes.current == nil ? backOff.problem(at: .now()) : nil }

    var isStarting: Bool { starting != nil }

    /// The numbers of all its processes, also of those that were told to end.
    var processIdentifiers: [Int32] { processes.all.map(\.processIdentifier) }

    /// Asks the extension, and starts it before if it does not run.
    ///
    /// If the task is canceled, the request ends with ``BrokerReason/callerGone``.
    /// - Parameter wake: called on the event loop when the extension wants to be asked again without a caller.
    func perform(
        _ request: ExtensionRequest, presenter: any Presenter,
        wake: @escaping @Sendable (ExtensionWake) -> Void = { _ in }
    ) async -> Result {
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
                let ask = Ask(key, request, to: process, presenter: presenter, wake: wake, continuation)
                guard !Task.isCancelled else { return finish(ask, .ended(.callerGone, nil)) }
                begin(ask)
            }
        } onCancel: {
            Task { await self.cancel(key) }
        }
    }

    /// Starts another process from now on if the manifest has changed. Open requests go on to their end.
    /// - Parameter new: nil if the extension is not on this device any more.
    func take(_ new: ExtensionManifest?) {
        guard new != manifest else { return }
        if let new { manifest = new }
        leave()
    }

    /// Has the next process wait for a debugger. The present one is stopped if it has no open requests.
    func waitForDebugger() {
        waitsForDebugger = true
        if requests.isEmpty { leave() }
    }

    func shutDown() {
        isOver = true
        for ask in requests.all { finish(ask, .ended(.stopping, nil)) }
        // Extensions store what they keep before they answer, so nothing is lost.
        for process in processes.all { process.kill() }
        processes.forgetAll()
    }

    private func after(
        _ time: TimeAmount, _ body: @escaping @Sendable (isolated ExtensionHost) -> Void
    ) -> Scheduled<Void> {
        loop.scheduleTask(in: time) { self.assumeIsolated(body) }
    }

    // MARK: Starting and stopping

    /// The process that requests go to. It is started if there is none.
    private func runningProcess() async throws(CannotRun) -> ExtensionProcess {
        while true {
            if let process = processes.current { return process }
            let wanted = manifest
            do throws(CannotRun) {
                let started = try await (starting ?? start()).value.get()
                // It may have ended while this request waited for it.
                guard started === processes.current else { throw await .endedAtOnce(started) }
                return started
            } catch {
                // If the manifest was replaced meanwhile, the failure says nothing about the new program.
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
        let (life, logger, loop) = (Life(), logger, loop)
        let task = Task { () -> Swift.Result<ExtensionProcess, CannotRun> in
            defer { starting = nil }
            let started: ExtensionProcess
            do {
                started = try await ExtensionProcess.start(
                    launch, on: loop,
                    receive: { event in self.assumeIsolated { $0.receive(event, in: life) } },
                    log: { line in logger.notice("\(line.inShortLine)") })
            } catch {
                return .failure(CannotRun(Problem("\(error)", program: launch.executable)))
            }
            guard life.start(started), !isOver, self.manifest == manifest else {
                let failure = await CannotRun.endedAtOnce(started)
                started.kill()
                return .failure(failure)
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

    /// Sends no further request to the process. Its open requests go on; later ones start another process.
    private func leave() {
        idleTimer?.cancel()
        idleTimer = nil
        if let left = processes.retire() { letGoIfUnused(left) }
    }

    private func letGoIfUnused(_ process: ExtensionProcess) {
        if process !== processes.current, !requests.isUsed(process) { letGo(process) }
    }

    /// Tells a process to end, and kills it if it still runs after ``ExtensionProcess/killDelay``.
    private func letGo(_ process: ExtensionProcess) {
        guard processes.letGo(process) else { return }
        process.stop()
        _ = after(ExtensionProcess.killDelay) { host in
            process.kill()
            host.processes.forget(process)
        }
    }

    /// Gives a process up, and ends all its open requests with `reason`.
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
        requests.add(ask)
        limit(ask, to: isDebugged ? timing.presenting : timing.silent)
        ask.begin()
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
        // The whole process may hang, so the next request gets another one.
        if ask.process === processes.current { leave() }
    }

    private func complete(_ ask: Ask, _ answer: ExtensionAnswer) {
        guard ask.isAskedAgain, !answer.isSuccess else { return finish(ask, .answered(answer)) }
        // Without showing anything it had no success, so it is asked as at first and waits for its turn.
        ask.beginsAgain(silently: false)
        begin(ask)
    }

    /// Ends a request whose caller has gone.
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

    private func receive(_ event: ExtensionProcess.Event, in life: Life) {
        if case .ended = event { life.end() }
        // Events of a process that was let go may still arrive.
        guard let process = life.process, processes.isHeard(process) else { return }
        switch event {
        case .report(let report):
            guard !receive(report, from: process) else { return }
            guard !life.countStrayReport() else { return }
            lose(process, .unusableResponse, "the extension sends without end what nobody asked for")
        case .nonsense(let what): lose(process, .unusableResponse, "the extension has sent \(what)")
        case .ended: takeEnd(of: process)
        }
    }

    private func takeEnd(of ended: ExtensionProcess) {
        // Requests that come from now on need another process.
        processes.retire(ended)
        guard requests.isUsed(ended) else { return letGo(ended) }
        Task {
            let how = await ended.howItEnded()
            lose(ended, .extensionCrashed, "the extension ended before it had answered: \(how)")
        }
    }

    /// - Returns: false if the report is of no use, for example because its request is over.
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
            // The request is over if its caller has gone or its time limit has passed.
            guard let ask = requests.find(identifier, of: process) else { return false }
            complete(ask, answer)
        case .presentForm(let identifier, let form):
            guard let ask = requests.find(identifier, of: process) else { return false }
            if mayDisplay(ask) { show(.form(form), of: ask) }
        case .presentWebPage(let identifier, let page):
            guard let ask = requests.find(identifier, of: process) else { return false }
            if mayDisplay(ask) { show(.page(page), of: ask) }
        case .wake(let identifier, let wake):
            guard let ask = requests.find(identifier, of: process) else { return false }
            // An extension that names times without end is like one that shows things without end.
            if mayDisplay(ask) { ask.wake(wake) }
        case .prepareWebPage(let identifier):
            guard let ask = requests.find(identifier, of: process) else { return false }
            if mayDisplay(ask) { prepareWebPage(ask) }
        }
        return true
    }

    /// Whether the request may show one thing more. No honest extension comes near the limit.
    private func mayDisplay(_ ask: Ask) -> Bool {
        if ask.countDisplay(max: Self.displaysMax) { return true }
        lose(
            ask.process, .unusableResponse,
            "the extension has asked \(Self.displaysMax) times to show something or to be woken")
        return false
    }

    private static let displaysMax = 1_000

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
            // From now on the extension is waited for, and not the person.
            limit(ask, to: timing.silent)
            ask.process.send(.presented(id: identifier, result))
        }
    }

    /// The person has signed in for one request. Requests that wait to show the same form may now succeed without it.
    private func askWaitingAgain() {
        for ask in turns.takeWaiting() {
            ask.beginsAgain(silently: true)
            begin(ask)
        }
    }
}
