import Logging
import NIOCore
import SingleSignOnWire

/// What the extension says.
extension ExtensionHost {
    func receive(_ event: ExtensionProcess.Event, from generation: Generation) {
        if case .ended = event { generation.hasEnded = true }
        // After its end there may be more on the way.
        guard let process = generation.process, isHeard(process) else { return }
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
        if process === ended { process = nil }
        guard open.values.contains(where: { $0.process === ended }) else { return letGo(ended) }
        Task {
            let how = await ended.howItEnded()
            lose(ended, .extensionCrashed, "the extension ended before it had answered: \(how)")
        }
    }

    /// A process whose answers cannot be had any more.
    private func lose(_ lost: ExtensionProcess, _ reason: BrokerReason, _ detail: String) {
        if process === lost { process = nil }
        let left = open.values.filter { $0.process === lost }.sorted { $0.request.id < $1.request.id }
        // An end while no request is open is no crash.
        let problem = Problem(detail)
        if !left.isEmpty || reason != .extensionCrashed { noteFailure(problem) }
        for ask in left { finish(ask, .ended(reason, problem)) }
        letGo(lost)
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
            guard identifier <= lastIdentifier else {
                lose(process, .unusableResponse, "the extension has answered what nobody asked")
                return true
            }
            // Nobody waits any more if the caller has gone, or the time is over.
            guard let ask = ask(identifier, of: process) else { return false }
            complete(ask, answer)
        case .presentForm(let identifier, let form):
            guard let ask = ask(identifier, of: process) else { return false }
            if mayDisplay(ask, process) { show(.form(form), of: ask) }
        case .presentWebPage(let identifier, let page):
            guard let ask = ask(identifier, of: process) else { return false }
            if mayDisplay(ask, process) { show(.page(page), of: ask) }
        case .prepareWebPage(let identifier):
            guard let ask = ask(identifier, of: process) else { return false }
            if mayDisplay(ask, process) { prepareWebPage(ask) }
        }
        return true
    }

    /// Nobody is shown anything as often as that.
    private func mayDisplay(_ ask: Open, _ process: ExtensionProcess) -> Bool {
        ask.displays += 1
        guard ask.displays > Self.displaysMax else { return true }
        lose(process, .unusableResponse, "the extension has asked \(Self.displaysMax) times to show something")
        return false
    }

    private static let displaysMax = 1_000
    private static let strayReportsMax = 10_000
}
