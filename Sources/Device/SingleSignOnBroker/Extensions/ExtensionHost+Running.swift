import Foundation
import Ground
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

/// Starting and stopping.
extension ExtensionHost {
    /// Tells events of an earlier process from those of the present one. Used on the event loop alone.
    final class Generation: @unchecked Sendable {
        var process: ExtensionProcess?
        var hasEnded = false
        /// Reports that nobody has a use for: a few come late.
        var strayReports = 0
    }

    /// Why there is nothing that requests could go to. The program that the words name is the one that was started: the
    /// manifest may be another by the time somebody hears of it.
    struct CannotRun: Error {
        let problem: Problem
    }

    private static func endedAtOnce(_ how: String?) -> CannotRun {
        CannotRun(problem: Problem("it ended as soon as it was started" + (how.map { ": \($0)" } ?? "")))
    }

    /// What requests go to; it is started if it is not there.
    func runningProcess() async throws(CannotRun) -> ExtensionProcess {
        while true {
            if let process { return process }
            let wanted = manifest
            do throws(CannotRun) {
                let started = try await (starting ?? start()).value.get()
                // It may have ended while this request waited for it.
                guard started === process else { throw Self.endedAtOnce(nil) }
                return started
            } catch {
                // If it is another by now, that one is started.
                guard wanted != manifest, !isOver else { throw error }
            }
        }
    }

    private func start() -> Task<Swift.Result<ExtensionProcess, CannotRun>, Never> {
        let manifest = manifest
        let waitsForDebugger = waitsForDebugger
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
                return .failure(CannotRun(problem: Problem("\(error)", program: launch.executable)))
            }
            generation.process = started
            guard !generation.hasEnded, !isOver, self.manifest == manifest else {
                let how = generation.hasEnded ? await started.howItEnded() : nil
                started.kill()
                return .failure(Self.endedAtOnce(how))
            }
            if waitsForDebugger {
                logger.notice("waiting for a debugger", metadata: ["pid": "\(started.processIdentifier)"])
            }
            isDebugged = waitsForDebugger
            living.append(started)
            process = started
            return .success(started)
        }
        starting = task
        return task
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
        if open.isEmpty { leave() }
    }

    /// No further request goes to the process. What is open goes on with it; what comes later starts another.
    func leave() {
        idleTimer?.cancel()
        idleTimer = nil
        guard let left = process else { return }
        process = nil
        letGoIfUnused(left)
    }

    func letGoIfUnused(_ unused: ExtensionProcess) {
        guard unused !== process, !open.values.contains(where: { $0.process === unused }) else { return }
        letGo(unused)
    }

    /// Lets a process end, and kills one that does not heed that.
    func letGo(_ gone: ExtensionProcess) {
        guard isHeard(gone) else { return }
        living.removeAll { $0 === gone }
        leaving.append(gone)
        gone.stop()
        loop.scheduleTask(in: ExtensionProcess.killDelay) {
            self.assumeIsolated { host in
                gone.kill()
                host.leaving.removeAll { $0 === gone }
            }
        }
    }

    /// Whether what a process says counts: it was not let go.
    func isHeard(_ process: ExtensionProcess) -> Bool { living.contains { $0 === process } }

    /// Of everything that runs, also to its end alone.
    var processIdentifiers: [Int32] { (living + leaving).map(\.processIdentifier) }

    func shutDown() {
        isOver = true
        for ask in open.values { finish(ask, .ended(.stopping, nil)) }
        // What they wanted to keep they have written before they answered.
        for process in living + leaving { process.kill() }
        (process, living, leaving) = (nil, [], [])
    }

    /// Until it may be started again; nil if it may be now.
    var backOffLeft: TimeAmount? {
        let now = NIODeadline.now()
        return backedOffUntil.flatMap { $0 > now ? $0 - now : nil }
    }

    /// What goes wrong for several requests at once is one failure.
    func noteFailure(_ problem: Problem) {
        guard backOffLeft == nil else { return }
        let before = lastFailure?.inARow ?? 0
        let wait = min(timing.longestBackOff.nanoseconds, timing.backOff.nanoseconds << min(before, 16))
        lastFailure = .init(reason: problem.detail.inShortLine, at: now(), inARow: before + 1)
        lastFailureTold = problem.told.inShortLine
        backedOffUntil = .now() + .nanoseconds(wait)
        logger.error("\(problem.detail)", metadata: ["waits-seconds": "\(wait / 1_000_000_000)"])
    }
}
