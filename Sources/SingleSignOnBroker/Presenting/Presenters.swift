import SingleSignOnWire

/// Shows nothing.
struct NoPresenter: ExtensionHost.Presenter {
    func show(_ display: ExtensionHost.Display) async -> PresentationResult { .unavailable(.notInteractive) }
    func returnURL() async -> String? { nil }
    func close() async {}
}

/// Lets the caller draw forms, in its tab or its terminal, and open pages.
final class CallerPresenter: ExtensionHost.Presenter {
    private let broker: Broker
    private let exchange: HTTPExchange
    private let peer: Peer
    /// Where a browser can come back to.
    private let session: DesktopPresenter.Session
    private let number = Random.token()

    init(_ broker: Broker, _ exchange: HTTPExchange, _ peer: Peer, _ session: DesktopPresenter.Session) {
        self.broker = broker
        self.exchange = exchange
        self.peer = peer
        self.session = session
    }

    func show(_ display: ExtensionHost.Display) async -> PresentationResult {
        switch display {
        case .form(let form): return await broker.draw(.init(id: number, form: form), to: exchange, peer)
        case .page(let url):
            await session.whenReturned(from: url) { [broker, number] url in
                await broker.answer(number, .returned(url))
            }
            return await broker.draw(.init(id: number, page: url), to: exchange, peer)
        }
    }

    func returnURL() async -> String? { await session.returnURL() }

    func close() async {
        await broker.answer(number, .canceled)
        await session.close()
    }
}
