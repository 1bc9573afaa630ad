import Foundation
import Logging
import NIOCore
import SingleSignOnWire

extension ExtensionHost {
    func runningProcess() async throws -> ExtensionProcess {
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

    /// Tells events of an earlier process from those of the present one. Used on the event loop alone.
    final class Generation: @unchecked Sendable {
        var process: ExtensionProcess?
        var hasEnded = false
    }

    struct EndedAtOnce: Error, CustomStringConvertible {
        let description = "it ended as soon as it was started"
    }

    /// Lets the process go: what is still open goes on with it, what comes later starts another.
    func stop() {
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

    func noteCrash() {
        let wait = min(timing.longestBackOff.nanoseconds, timing.backOff.nanoseconds << min(crashes, 16))
        crashes += 1
        backedOffUntil = .now() + .nanoseconds(wait)
    }
}
