import Foundation
import Ground
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import SingleSignOn
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// Shows forms in the desktop's browser, on an address of this device that is used for one request and by this user
/// alone.
actor DesktopPresenter {
    private nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// Opens a page in the browser; false if there is none. Is cancelled if nobody waits for the page any more.
    typealias Opener = @Sendable (String) async -> Bool

    private let surroundings: Surroundings
    private let open: Opener
    private let logger: Logger
    private var pages: [String: Page] = [:]

    private final class Page {
        let asker: Asker
        /// Of this request alone: a return URL has to be the same for all of them but for the port, because providers know
        /// it beforehand (RFC 8252 section 7.3).
        let listener: any Channel
        var form: PresentationForm?
        /// The page of the web that is shown instead.
        var target: String?
        var answer: ((PresentationResult) -> Void)?
        var returned: (@Sendable (String) async -> Void)?
        /// What the page that is shown has to send back: RFC 6749 section 4.1.1. Nil if it was given none.
        var state: String?
        /// The browser that waits for what comes next.
        private(set) var waiting: HTTPExchange?
        var connections: [any Channel] = []
        /// Looks for a browser, which may take a moment.
        var opening: Task<Void, Never>?
        /// Steps that were shown: an answer to an earlier one is none to this.
        var step = 0

        init(_ asker: Asker, listener: any Channel) {
            self.asker = asker
            self.listener = listener
        }

        /// Only the last one waits: a tab that somebody has left must not look as if something came.
        func wait(_ exchange: HTTPExchange) {
            let earlier = waiting
            waiting = exchange
            if let earlier { PresentationPage.gone(earlier, .gone) }
        }

        func takeWaiting() -> HTTPExchange? {
            defer { waiting = nil }
            return waiting
        }

        /// - Parameter url: browsers leave line ends and tabs in it out, and no header can have any.
        func lead(to url: String) {
            let url = String(url.unicodeScalars.filter { $0.properties.generalCategory != .control })
            target = url
            state = DesktopPresenter.values(of: url)["state"]
        }

        var origin: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }
    }

    /// Who wants to know, for the person who is asked.
    struct Asker: Sendable {
        let extensionName: String
        /// That has installed the profile.
        let organization: String?
        let callerName: String
        /// Whether the name is one that no program of the person could have chosen.
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

    /// What one request shows.
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

        /// Has somebody else open a page of the web.
        /// - Returns: an address of this device that leads there, which others may see; nil if the request is over.
        func lead(to url: String, whenReturned body: @escaping @Sendable (String) async -> Void) async -> String? {
            await presenter.lead(self, to: url, whenReturned: body)
        }

        func close() async {
            isOver.withLockedValue { $0 = true }
            await presenter.close(token)
        }

        /// Whether the request has ended: what was being prepared for it is not shown any more.
        fileprivate var isClosed: Bool { isOver.withLockedValue { $0 } }
    }

    private func returnURL(of session: Session) async -> String? {
        await page(of: session).map { "\($0.origin)/callback" }
    }

    /// - Returns: nil if there can be none, or the request is over.
    private func page(of session: Session) async -> Page? {
        if let page = pages[session.token] { return page }
        guard !session.isClosed else { return nil }
        do {
            let listener = try await listen(session.token)
            // Much may have happened meanwhile.
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
        .notInteractive, "There is no desktop to show a page on. In a terminal, `lanyard sso` asks there.")

    private func lead(
        _ session: Session, to url: String, whenReturned body: @escaping @Sendable (String) async -> Void
    ) async -> String? {
        guard let page = await page(of: session) else { return nil }
        page.lead(to: url)
        page.returned = body
        return "\(page.origin)/\(session.token)"
    }

    /// Of a URL's query.
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

    /// Other users of this device can connect too: the kernel says who does.
    private func accept(_ channel: any Channel, _ token: String) throws {
        guard LoopbackOwner.user(of: channel) == geteuid(), let page = pages[token], page.connections.count < 16 else {
            throw Refused()
        }
        page.connections.append(channel)
        channel.closeFuture.assumeIsolated().whenComplete { _ in page.connections.removeAll { $0 === channel } }
    }

    private func serve(_ exchange: HTTPExchange, _ token: String) {
        let path = exchange.path.split(separator: "/", omittingEmptySubsequences: true)
        // A name that leads to this device from elsewhere is none of this page's.
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
            // Any page of the web may fetch this, show it in a frame or lead a tab here. It must not end a sign-in.
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

    /// The URL that the browser came back to. What came as a form goes on as a query.
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
            // Nothing to fill in yet: the answer comes when there is, or when all is done.
            if page.answer == nil { page.wait(exchange) } else { PresentationPage.gone(exchange, .gone) }
            return
        }
        PresentationPage.send(form, step: page.step, at: "/\(token)", page.asker, to: exchange)
    }
}
