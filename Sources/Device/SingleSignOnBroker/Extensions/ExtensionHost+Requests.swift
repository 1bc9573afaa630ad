import Logging
import NIOCore
import SingleSignOnWire

/// From the beginning of a request to its end.
extension ExtensionHost {
    func begin(_ ask: Open, in process: ExtensionProcess) {
        lastIdentifier += 1
        ask.request.id = lastIdentifier
        ask.process = process
        open[lastIdentifier] = ask
        schedule(ask, in: isDebugged ? timing.presenting : timing.silent)
        process.send(.begin(ask.request))
    }

    /// - Returns: nil if the process was not asked under this number, or it is over.
    func ask(_ identifier: UInt64, of process: ExtensionProcess) -> Open? {
        open[identifier].flatMap { $0.process === process ? $0 : nil }
    }

    func schedule(_ ask: Open, in time: TimeAmount) {
        ask.deadline?.cancel()
        let identifier = ask.request.id
        ask.deadline = loop.scheduleTask(in: time) { self.assumeIsolated { $0.timeOut(identifier) } }
    }

    private func timeOut(_ identifier: UInt64) {
        guard let ask = open[identifier] else { return }
        logger.error("no answer in time", metadata: ["request": "\(identifier)"])
        ask.process?.send(.cancel(id: identifier))
        let hung = ask.process
        finish(ask, .ended(.timedOut, Problem("no answer in time")))
        // Whether it hangs altogether nobody can tell: the next request gets another process.
        if hung === process { leave() }
    }

    func complete(_ ask: Open, _ answer: ExtensionAnswer) {
        guard ask.isAskedAgain, !answer.isSuccess, let process = ask.process else {
            return finish(ask, .answered(answer))
        }
        // Not silently, after all: it waits for its turn as before.
        open[ask.request.id] = nil
        ask.deadline?.cancel()
        ask.isAskedAgain = false
        ask.request.isUserInterfaceEnabled = true
        begin(ask, in: process)
    }

    /// The caller has gone.
    func cancel(_ key: UInt64) {
        guard let ask = open.values.first(where: { $0.key == key }) else { return }
        ask.process?.send(.cancel(id: ask.request.id))
        finish(ask, .ended(.callerGone, nil))
    }

    func finish(_ ask: Open, _ result: Result) {
        open[ask.request.id] = nil
        ask.deadline?.cancel()
        queue.removeAll { $0 === ask }
        ask.continuation?.resume(returning: result)
        ask.continuation = nil
        if case .answered = result { (lastFailure, backedOffUntil) = (nil, nil) }
        if showing === ask {
            showing = nil
            if case .answered(let answer) = result, answer.isSuccess { askWaitingAgain() }
            showNext()
        }
        if let process = ask.process { letGoIfUnused(process) }
        guard open.isEmpty, process != nil else { return }
        if timing.idle == .zero { return leave() }
        idleTimer?.cancel()
        idleTimer = loop.scheduleTask(in: timing.idle) { self.assumeIsolated { if $0.open.isEmpty { $0.leave() } } }
    }
}
