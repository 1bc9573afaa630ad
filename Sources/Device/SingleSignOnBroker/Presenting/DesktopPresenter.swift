import Ground
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Shows forms and pages in the desktop's browser, at a loopback address that serves one request and this user alone.
actor DesktopPresenter {
    private nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// Opens a page in the browser. Returns false if there is none. Its task is canceled when the page is not needed
    /// any more.
    typealias Opener = @Sendable (String) async -> Bool

    private let surroundings: Surroundings
    private let open: Opener
    private let logger: Logger
    private var pages: [String: Page] = [:]

    private final class Page {
        let asker: Asker
        /// Listens for this request alone. Return URLs may only differ in the port, because providers register them
        /// beforehand (RFC 8252 section 7.3), so the port tells requests apart.
        let listener: any Channel
        var form: PresentationForm?
        /// The URL of the web page that is shown in place of a form.
        var target: String?
        var answer: ((PresentationResult) -> Void)?
        var returned: (@Sendable (String) async -> Void)?
        /// The `state` that the web page has to send back: RFC 6749 section 4.1.1. Nil if its URL has none.
        var state: String?
        /// The browser's request that waits for the next form or the end.
        private(set) var waiting: HTTPExchange?
        var connections: [any Channel] = []
        /// Opens the browser, which may take a moment.
        var opening: Task<Void, Never>?
        /// The number of steps that were shown. A form that belongs to an earlier step is not an answer to this one.
        var step = 0

        init(_ asker: Asker, listener: any Channel) {
            self.asker = asker
            self.listener = listener
        }

        /// Lets one request wait. An earlier one is answered that the page is gone, so that a forgotten tab does not
        /// seem to load for ever.
        func wait(_ exchange: HTTPExchange) {
            let earlier = waiting
            waiting = exchange
            if let earlier { PresentationPage.gone(earlier, .gone) }
        }

        func takeWaiting() -> HTTPExchange? {
            defer { waiting = nil }
            return waiting
        }

        /// Leads the browser to a web page.
        /// - Parameter url: control characters in it are left out, as browsers do; a header cannot have any.
        func lead(to url: String) {
            let url = String(url.unicodeScalars.filter { !$0.isControlCode })
            target = url
            state = DesktopPresenter.values(of: url)["state"]
        }

        var origin: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }
    }

    /// The names that the person is shown: who asks, and on whose behalf.
    struct Asker: Sendable {
        let extensionName: String
        /// The organization that has installed the profile.
        let organization: String?
        let callerName: String
        /// Whether no program of the person can have chosen the caller's name.
        let isCallerKnown: Bool
    }

    init(on loop: any EventLoop, surroundings: Surroundings, open: @escaping Opener, logger: Logger) {
        self.loop = loop
        self.surroundings = surroundings
        self.open = open
        self.logger = logger
    }

    nonisolated func session(
        _ manifest: ExtensionManifest, of organization: String?, _ identified: CallerIdentifier.Identified
    ) -> Session {
        Session(
            self,
            Asker(
                extensionName: manifest.displayName, organization: organization,
                callerName: identified.caller.displayName, isCallerKnown: identified.isNameKnown))
    }

    /// Shows forms and pages for one request.
    final class Session: ExtensionHost.Presenter {
        private let presenter: DesktopPresenter
        let asker: Asker
        fileprivate let token: String
        private let isOver = NIOLockedValueBox(false)

        fileprivate init(_ presenter: DesktopPresenter, _ asker: Asker) {
            self.presenter = presenter
            self.asker = asker
            token = presenter.surroundings.randomBytes(16).hexadecimal
        }

        func show(_ display: ExtensionHost.Display) async -> PresentationResult {
            await presenter.show(display, of: self)
        }

        func returnURL() async -> String? { await presenter.returnURL(of: self) }

        /// Prepares a web page that the caller opens itself.
        /// - Parameter body: called with the URL to which the page leads back.
        /// - Returns: a loopback address that leads to the page, and that other users may see. Nil if the request is
        ///   over or there can be no page.
        func lead(to url: String, whenReturned body: @escaping @Sendable (String) async -> Void) async -> String? {
            await presenter.lead(self, to: url, whenReturned: body)
        }

        func close() async {
            isOver.withLockedValue { $0 = true }
            await presenter.close(token)
        }

        /// Whether the request has ended. It may do so while something is prepared, which is not shown then.
        fileprivate var isClosed: Bool { isOver.withLockedValue { $0 } }
    }

    private func returnURL(of session: Session) async -> String? {
        await page(of: session).map { "\($0.origin)/callback" }
    }

    /// The session's page, which is made if there is none.
    /// - Returns: nil if no page can be made, or the request is over.
    private func page(of session: Session) async -> Page? {
        if let page = pages[session.token] { return page }
        guard !session.isClosed else { return nil }
        do {
            let listener = try await listen(session.token)
            // During the await the request may have ended, or another call may have made the page.
            guard !session.isClosed, pages[session.token] == nil else {
                listener.close(promise: nil)
                return pages[session.token]
            }
            let page = Page(session.asker, listener: listener)
            pages[session.token] = page
            return page
        } catch {
            logger.error("no page can be shown", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func show(_ display: ExtensionHost.Display, of session: Session) async -> PresentationResult {
        guard let page = await page(of: session), !session.isClosed else {
            guard !session.isClosed else { return .canceled }
            return .unavailable(Self.noPage)
        }
        let token = session.token
        let isOpen = page.step > 0
        page.step += 1
        switch display {
        case .form(let form): page.form = form
        case .page(let target): page.lead(to: target)
        }
        return await withCheckedContinuation { continuation in
            page.answer = { continuation.resume(returning: $0) }
            // The browser that has sent the last form waits for the next on the same connection.
            if isOpen, case .form = display, let waiting = page.takeWaiting() {
                send(page, token, to: waiting)
                return
            }
            let step = page.step
            page.opening = Task {
                guard await !open("\(page.origin)/\(token)"), page.step == step else { return }
                finish(page, .unavailable(Self.noDesktop))
            }
        }
    }

    static let noPage = AuthorizationFailure(.failed, "No page can be shown on this device.")
    private static let noDesktop = AuthorizationFailure(
        .notInteractive, "There is no desktop to show a page on. In a terminal, `lanyard-sso` asks there.")

    private func lead(
        _ session: Session, to url: String, whenReturned body: @escaping @Sendable (String) async -> Void
    ) async -> String? {
        guard let page = await page(of: session) else { return nil }
        page.lead(to: url)
        page.returned = body
        return "\(page.origin)/\(session.token)"
    }

    /// The values in a URL's query, by name.
    private static func values(of url: String) -> [String: String] {
        let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        return FormEncoding.values(query)
    }

    private func finish(_ page: Page, _ result: PresentationResult) {
        let answer = page.answer
        page.answer = nil
        page.form = nil
        page.target = nil
        page.opening?.cancel()
        answer?(result)
    }

    private func close(_ token: String) {
        guard let page = pages.removeValue(forKey: token) else { return }
        finish(page, .canceled)
        page.listener.close(promise: nil)
        if let waiting = page.waiting { PresentationPage.done(waiting) }
        for connection in page.connections where page.waiting?.channel !== connection {
            connection.close(promise: nil)
        }
    }

    func shutDown() {
        for token in Array(pages.keys) { close(token) }
    }

    // MARK: The page

    private func listen(_ token: String) async throws -> any Channel {
        try await ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 16)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try self.assumeIsolated { try $0.accept(channel, token) }
                    let loop = channel.eventLoop.assumeIsolated()
                    try HTTPConnectionHandler.add(
                        to: channel, bodyMax: 65_536, peer: nil, nextTurn: { loop.execute($0) }
                    ) { exchange in self.assumeIsolated { $0.serve(exchange, token) } }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private struct Refused: Error {}

    /// Refuses connections of other users, who can connect to the port too. The kernel knows whose they are.
    private func accept(_ channel: any Channel, _ token: String) throws {
        guard LoopbackOwner.user(of: channel) == geteuid(), let page = pages[token], page.connections.count < 16 else {
            throw Refused()
        }
        page.connections.append(channel)
        channel.closeFuture.assumeIsolated().whenComplete { _ in page.connections.removeAll { $0 === channel } }
    }

    private func serve(_ exchange: HTTPExchange, _ token: String) {
        let path = exchange.path.split(separator: "/", omittingEmptySubsequences: true)
        // A web page may reach this port by a DNS name that it makes lead to 127.0.0.1 (DNS rebinding).
        guard exchange.head.headers["Host"].first?.hasPrefix("127.0.0.1:") == true,
            let page = pages[token]
        else { return PresentationPage.gone(exchange, .gone) }
        switch (exchange.head.method, path) {
        case (.GET, [Substring(token)]): send(page, token, to: exchange)
        case (.POST, [Substring(token)]):
            guard exchange.head.headers["Origin"].first.map({ $0 == page.origin }) ?? true,
                let form = page.form
            else { return PresentationPage.gone(exchange, .gone) }
            let values = FormEncoding.values(String(buffer: exchange.body))
            guard values["step"] == "\(page.step)" else { return send(page, token, to: exchange) }
            page.wait(exchange)
            if values["cancel"] != nil { return finish(page, .canceled) }
            finish(
                page,
                .submitted(
                    Dictionary(
                        form.fields.compactMap { field in values["f.\(field.name)"].map { (field.name, $0) } }
                    ) { first, _ in first }))
        case (.GET, ["callback"]), (.POST, ["callback"]):
            // Any web page may fetch this address or show it in a frame. Neither must end a sign-in.
            guard exchange.head.headers["Sec-Fetch-Mode"].first.map({ $0 == "navigate" }) ?? true,
                exchange.head.headers["Sec-Fetch-Dest"].first.map({ $0 == "document" }) ?? true,
                page.returned != nil || page.answer != nil && page.form == nil,
                page.state == nil || page.state == Self.values(of: answer(exchange, page))["state"]
            else { return PresentationPage.gone(exchange, .gone) }
            page.wait(exchange)
            returned(page, exchange)
        default: PresentationPage.gone(exchange, .gone)
        }
    }

    /// The URL that the browser came back to. The fields of a posted form are added as a query.
    private func answer(_ exchange: HTTPExchange, _ page: Page) -> String {
        let url = page.origin + exchange.head.uri
        guard exchange.head.method == .POST else { return url }
        return url + (url.contains("?") ? "&" : "?") + String(buffer: exchange.body)
    }

    private func returned(_ page: Page, _ exchange: HTTPExchange) {
        let url = answer(exchange, page)
        if let returned = page.returned {
            page.returned = nil
            page.target = nil
            Task { await returned(url) }
        } else {
            finish(page, .returned(url))
        }
    }

    private func send(_ page: Page, _ token: String, to exchange: HTTPExchange) {
        if let target = page.target { return PresentationPage.lead(exchange, to: target) }
        guard let form = page.form else {
            // There is no form at the moment. The request waits for the next one or for the end.
            if page.answer == nil { page.wait(exchange) } else { PresentationPage.gone(exchange, .gone) }
            return
        }
        PresentationPage.send(form, step: page.step, at: "/\(token)", page.asker, to: exchange)
    }
}
