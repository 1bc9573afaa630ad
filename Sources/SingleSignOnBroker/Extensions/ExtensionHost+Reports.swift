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
        case .report(let report): receive(report, from: process)
        case .nonsense(let what): lose(process, .unusableResponse, "the extension has sent \(what)")
        case .ended: lose(process, .extensionCrashed, "the extension ended before it had answered")
        }
    }

    /// A process whose answers cannot be had any more.
    private func lose(_ lost: ExtensionProcess, _ reason: BrokerReason, _ detail: String) {
        if process === lost { process = nil }
        let left = open.values.filter { $0.process === lost }.sorted { $0.request.id < $1.request.id }
        // One that ends when it has nothing to do is none of those.
        if !left.isEmpty || reason != .extensionCrashed { noteCrash(detail) }
        for ask in left { finish(ask, .ended(reason, detail)) }
        letGo(lost)
    }

    private func receive(_ report: ExtensionReport, from process: ExtensionProcess) {
        switch report {
        case .ready(let version):
            guard version != ExtensionProtocol.version else { return }
            lose(
                process, .extensionFailedToStart,
                "the extension speaks version \(version) of the protocol, this broker \(ExtensionProtocol.version)")
        case .completed(let identifier, let answer):
            guard identifier <= lastIdentifier else {
                return lose(process, .unusableResponse, "the extension has answered what nobody asked")
            }
            // Nobody waits any more if the caller has gone, or the time is over.
            if let ask = ask(identifier, of: process) { complete(ask, answer) }
        case .presentForm(let identifier, let form):
            if let ask = ask(identifier, of: process) { show(.form(form), of: ask) }
        case .presentWebPage(let identifier, let page):
            if let ask = ask(identifier, of: process) { show(.page(page), of: ask) }
        case .prepareWebPage(let identifier):
            if let ask = ask(identifier, of: process) { prepareWebPage(ask) }
        }
    }
}
