import SingleSignOnWire

/// For requests that may show nothing.
struct NoPresenter: ExtensionHost.Presenter {
    func show(_ display: ExtensionHost.Display) async -> PresentationResult { .unavailable(.notInteractive) }
    func returnURL() async -> String? { nil }
    func close() async {}
}

/// Has the caller show forms, in its tab or its terminal, and open pages.
struct CallerPresenter: ExtensionHost.Presenter {
    let broker: Broker
    /// Identifies the request among ``Drawings``.
    let number: String
    /// Has the loopback address to which a web page leads back.
    let session: DesktopPresenter.Session
    /// Whether the caller is a browser, which opens a page itself. A terminal starts a program to open it.
    let isBrowser: Bool

    func show(_ display: ExtensionHost.Display) async -> PresentationResult {
        switch display {
        case .form(let form):
            return await broker.draw(
                .init(
                    id: number, form: form, extensionName: session.asker.extensionName,
                    organization: session.asker.organization))
        case .page(let url):
            let address = await session.lead(to: url) { url in await broker.answerDrawing(number, .returned(url)) }
            if isBrowser { return await broker.draw(.init(id: number, page: url)) }
            // Not the page's own URL: every user of the device can read the arguments of the program that opens it.
            guard let address else { return .unavailable(DesktopPresenter.noPage) }
            return await broker.draw(.init(id: number, page: address))
        }
    }

    func returnURL() async -> String? { await session.returnURL() }

    func close() async {
        await broker.endDrawing(number)
        await session.close()
    }
}
