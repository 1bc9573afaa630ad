import SingleSignOnWire

/// Shows nothing.
struct NoPresenter: ExtensionHost.Presenter {
    func show(_ display: ExtensionHost.Display) async -> PresentationResult { .unavailable(.notInteractive) }
    func returnURL() async -> String? { nil }
    func close() async {}
}

/// Lets the caller draw forms, in its tab or its terminal, and open pages.
struct CallerPresenter: ExtensionHost.Presenter {
    let broker: Broker
    /// Of the drawing.
    let number: String
    /// Where a browser can come back to.
    let session: DesktopPresenter.Session
    /// Whether the caller is a browser, which goes to a page itself; a terminal starts a program for it.
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
            // Not the page's own: every user of the device could read it from the arguments of what opens it.
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
