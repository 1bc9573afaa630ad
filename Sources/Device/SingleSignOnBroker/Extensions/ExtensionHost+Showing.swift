import Ground
import NIOCore
import SingleSignOn
import SingleSignOnWire

/// One thing at a time is shown for an extension.
extension ExtensionHost {
    func prepareWebPage(_ ask: Open) {
        let identifier = ask.request.id
        guard ask.mayShow else { return ask.send(.returnURL(id: identifier, "")) }
        Task {
            let url = await ask.presenter.returnURL()
            if open[identifier] === ask { ask.send(.returnURL(id: identifier, url ?? "")) }
        }
    }

    func show(_ display: Display, of ask: Open) {
        let identifier = ask.request.id
        guard ask.mayShow else { return ask.send(.presented(id: identifier, .unavailable(.notInteractive))) }
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

    func showNext() {
        guard showing == nil, !queue.isEmpty else { return }
        showNow(queue.removeFirst())
    }

    /// Somebody has signed in: those who wait to be asked the same may not need to be.
    func askWaitingAgain() {
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
