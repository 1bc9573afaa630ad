import Logging
import NIOCore
import SingleSignOnWire

extension ExtensionHost {
    func begin(_ ask: Open, in process: ExtensionProcess) {
        lastIdentifier += 1
        ask.request.id = lastIdentifier
        ask.process = process
        open[lastIdentifier] = ask
        schedule(ask, in: isDebugged ? timing.presenting : timing.silent)
        process.send(.begin(ask.request))
    }

    func schedule(_ ask: Open, in time: TimeAmount) {
        ask.deadline?.cancel()
        let identifier = ask.request.id
        ask.deadline = loop.scheduleTask(in: time) { self.assumeIsolated { $0.timeOut(identifier) } }
    }

    func timeOut(_ identifier: UInt64) {
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

    func receive(_ event: ExtensionProcess.Event, from generation: Generation) {
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
    func lose(_ lost: ExtensionProcess?, _ reason: BrokerReason, _ detail: String) {
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

    func receive(_ report: ExtensionReport, from generation: Generation) {
        switch report {
        case .ready(let version):
            guard version != ExtensionProtocol.version else { return }
            logger.error("it speaks version \(version) of the protocol, this broker \(ExtensionProtocol.version)")
            generation.hasEnded = true
            lose(generation.process, .extensionFailedToStart, "the extension speaks another version of the protocol")
        case .completed(let identifier, let answer):
            guard let ask = open[identifier] else {
                guard identifier <= lastIdentifier else {
                    return lose(generation.process, .unusableResponse, "the extension has answered what nobody asked")
                }
                logger.debug("it has answered a request that is over", metadata: ["request": "\(identifier)"])
                return
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
        case .presentForm(let identifier, let form): show(.form(form), of: identifier)
        case .presentWebPage(let identifier, let page): show(.page(page), of: identifier)
        case .prepareWebPage(let identifier):
            guard let ask = open[identifier] else { return }
            guard ask.isInterfaceAllowed, ask.request.isUserInterfaceEnabled else {
                return ask.send(.returnURL(id: identifier, ""))
            }
            Task {
                let url = await ask.presenter.returnURL()
                if open[identifier] === ask { ask.send(.returnURL(id: identifier, url ?? "")) }
            }
        }
    }
}
