import Ground
import Logging
import NIOCore
import NIOHTTP1
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

/// Decides about every request: which extension is asked, on whose behalf, and what the caller may get.
///
/// It lives on one event loop, together with its connections, so that a request that nothing covers is answered where
/// it was read. When something goes wrong, the caller goes on at once as if there were no single sign-on; but it never
/// gets an answer that it may not have: docs/specifications/extensible-single-sign-on.md, 16.10.
public actor Broker {
    nonisolated let loop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    let settings: Settings
    let logger: Logger
    private let domains: DomainRegistry
    private let desktop: DesktopPresenter
    private var callers: CallerIdentifier
    private(set) var check: CoverageCheck
    var hosts: ExtensionHosts
    private var lost = RemovedPayloads()
    var wakes: Wakes
    var alarm: Scheduled<Void>?
    private(set) var isOver = false
    private var counts: RequestCounts
    /// What is called as soon as no request is open.
    private var whenIdle: (() -> Void)?
    private var drawings = Drawings()
    private var log = RequestLog()
    /// Followers of `GET /v1/log?follow`. They get each entry as a line of JSON.
    private let logListeners = Listeners<ByteBuffer>()
    /// Followers of `GET /v1/events`. They are told whenever other URLs may be covered than before.
    private let changeListeners = Listeners<Void>()

    init(
        on loop: any EventLoop, settings: Settings, callers: CallerIdentifier, domains: DomainRegistry,
        desktop: DesktopPresenter, logger: Logger
    ) {
        self.loop = loop
        self.settings = settings
        self.callers = callers
        self.domains = domains
        self.desktop = desktop
        self.logger = logger
        check = CoverageCheck(installation: Installation(), domains: domains)
        wakes = Wakes(stateFolder: settings.stateFolder)
        hosts = ExtensionHosts(on: loop, settings: settings, logger: logger)
        counts = RequestCounts(max: settings.requestsMax, maxPerCaller: settings.requestsPerCallerMax)
        // A domain's answer changes which URLs are covered, and browsers keep a list of these.
        domains.onChange { [weak self] in Task { await self?.tellChange() } }
    }

    // MARK: What is installed

    /// Replaces what is installed, and tells extensions about profiles that are gone.
    func install(_ new: Installation) {
        let old = check.installation
        check = CoverageCheck(installation: new, domains: domains)
        for problem in new.problems where !old.problems.contains(problem) {
            logger.error("left out", metadata: ["file": "\(problem.source)", "problem": "\(problem.text)"])
        }
        callers.managedApps = new.managedApps
        domains.update(new.claims)
        hosts.take(new.manifests)
        for payload in lost.take(old: old, new: new) { tellRemoval(of: payload) }
        if new.areProfilesWhole {
            wakes.keep(new.payloads.map { PayloadPlace($0) })
            saveWakes()
        }
        tellChange()
    }

    /// Other URLs may be covered than before, and other extensions may be woken.
    private func tellChange() {
        changeListeners.tell(())
        setAlarm()
    }

    private func tellRemoval(of payload: SingleSignOnPayload) {
        guard let manifest = check.installation.manifest(of: payload) else { return }
        let host = hosts.host(of: manifest)
        Task {
            let told = await host.perform(ExtensionRequest(removalOf: payload), presenter: NoPresenter())
            guard case .ended(let reason, _) = told else { return }
            logger.warning(
                "an extension could not be told that its profile is gone",
                metadata: ["extension": "\(payload.extensionIdentifier.inShortLine)", "reason": "\(reason.rawValue)"])
        }
    }

    var status: BrokerStatus { BrokerStatus(check, hosts, settings) }

    func match(_ url: String, responseCode: Int) -> BrokerMatch {
        check.match(url, responseCode: responseCode, backedOff: hosts.backedOff)
    }

    /// How many extensions were asked until now.
    var extensionsAsked: Int { hosts.all.count }

    func shutDown() async {
        isOver = true
        alarm?.cancel()
        for host in hosts.all { await host.shutDown() }
        hosts.forgetAll()
        await desktop.shutDown()
    }

    /// Calls back as soon as nobody waits for an extension's answer, perhaps at once. Whoever asks before that is served as
    /// always. Called once.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        whenIdle = body
        tellIfIdle()
    }

    private func tellIfIdle() {
        guard counts.isEmpty, let body = whenIdle else { return }
        whenIdle = nil
        body()
    }

    // MARK: What callers want

    /// Serves one exchange. Called on the event loop.
    func serve(_ exchange: HTTPExchange) {
        guard let peer = exchange.connection.peer, peer.user == geteuid() || peer.user == 0 else {
            return exchange.fail(.forbidden, "This socket is another user's.")
        }
        // A browser cannot reach a Unix socket; a proxy could, and what it passes on for a page has this header.
        guard exchange.head.headers["Origin"].isEmpty else { return exchange.fail(.forbidden, "No page may ask.") }
        switch BrokerRoute(exchange) {
        case .ask: request(exchange, peer)
        case .answerPresentation(let number): presented(exchange, peer, number)
        case .match(let url, let responseCode): exchange.json(match(url, responseCode: responseCode))
        case .matchWithoutURL: exchange.fail(.badRequest, "“url” is missing.")
        case .status: exchange.json(status)
        case .domains: exchange.json(domains.entries())
        case .refreshDomains:
            Task {
                await domains.refresh()
                exchange.json(domains.entries())
            }
        case .log(let isFollowed): sendLog(exchange, isFollowed: isFollowed)
        case .events: sendEvents(exchange)
        case .debug(let identifier): debug(exchange, identifier)
        case .unknown: exchange.fail(.notFound, "There is nothing at \(exchange.head.method) \(exchange.path).")
        }
    }

    private func debug(_ exchange: HTTPExchange, _ identifier: String) {
        // Otherwise any program of the user could stop the next sign-in of everyone.
        guard settings.isForAuthors else {
            return exchange.fail(.forbidden, "Only a broker for authors does this: start one with --author.")
        }
        guard let manifest = check.installation.manifests[identifier] else {
            return exchange.fail(
                .notFound, "No extension on this device has the identifier “\(identifier.inShortLine)”.")
        }
        exchange.json(
            hosts.host(of: manifest).assumeIsolated { host in
                host.waitForDebugger()
                return host.status
            })
    }

    private func sendLog(_ exchange: HTTPExchange, isFollowed: Bool) {
        guard isFollowed else { return exchange.json(log.entries) }
        exchange.lines(log.entries)
        let listener = logListeners.add { exchange.lineUnlessSlow($0) }
        exchange.connection.whenGone { self.assumeIsolated { $0.logListeners.forget(listener) } }
    }

    private func sendEvents(_ exchange: HTTPExchange) {
        let line = ByteBuffer(string: #"{"event":"profilesChanged"}"# + "\n")
        exchange.line(line)
        let listener = changeListeners.add { exchange.lineUnlessSlow(line) }
        exchange.connection.whenGone { self.assumeIsolated { $0.changeListeners.forget(listener) } }
    }

    // MARK: The way of a request

    private struct Ending {
        var outcome: BrokerOutcome
        /// For the log.
        var detail: String?
        /// Nil if the caller was not identified.
        var caller: String?
    }

    private func request(_ exchange: HTTPExchange, _ peer: Peer) {
        let request: CallerRequest
        do {
            request = try CallerRequest(exchange, from: peer)
        } catch {
            return exchange.fail(.badRequest, error.problem)
        }
        switch check.coverage(of: request) {
        case .not(let reason, let payload):
            // Most URLs are not covered. The caller is not identified for those: it takes time, and nothing depends on
            // it.
            let caller = reason == .notCovered ? nil : identify(request)?.caller.bundleIdentifier
            let outcome = BrokerOutcome.unhandled(reason, request.operation, extension: payload?.extensionIdentifier)
            let detail = check.detail(of: reason, payload, url: request.url)
            end(request, Ending(outcome: outcome, detail: detail, caller: caller))
        case .covered(let payload, let manifest, let isCredential):
            // Counted before the task has its turn, so that no number of requests at once passes the limits, and nobody ends
            // the broker in between.
            let process = request.peer.processIdentifier
            guard counts.begin(by: process) else {
                let outcome = BrokerOutcome.unhandled(
                    .tooManyRequests, request.operation, extension: payload.extensionIdentifier)
                return end(request, Ending(outcome: outcome, detail: "process \(process)", caller: nil))
            }
            let task = Task {
                let ending = await handle(request, payload, manifest, isCredential: isCredential)
                counts.end(by: process)
                end(request, ending)
                tellIfIdle()
            }
            exchange.connection.whenGone { task.cancel() }
        }
    }

    private func end(_ request: CallerRequest, _ ending: Ending) {
        let entry = BrokerLogEntry(
            request.message, caller: ending.caller, ending.outcome, detail: ending.detail,
            at: settings.surroundings.now(), milliseconds: request.milliseconds)
        log.append(entry, to: logger)
        // Followers are not told about URLs that nothing covers: these are most of the web.
        if entry.reason != .notCovered, !logListeners.isEmpty { logListeners.tell(HTTPExchange.encoded(entry)) }
        request.exchange.lastLine(BrokerEvent.finished(ending.outcome))
    }

    private func identify(_ request: CallerRequest) -> CallerIdentifier.Identified? {
        request.peer.process(at: request.exchange.channel).flatMap {
            callers.identify(request.peer, $0, speaksForBrowser: request.presentation == .tab)
        }
    }

    /// Asks the extension, if caller and screen allow it.
    private func handle(
        _ request: CallerRequest, _ payload: SingleSignOnPayload, _ manifest: ExtensionManifest, isCredential: Bool
    ) async -> Ending {
        func unhandled(_ reason: BrokerReason, _ detail: String? = nil, caller: String? = nil) -> Ending {
            Ending(
                outcome: .unhandled(reason, request.operation, extension: payload.extensionIdentifier), detail: detail,
                caller: caller)
        }

        guard let identified = identify(request) else { return unhandled(.callerUnknown) }
        let name = identified.caller.bundleIdentifier
        if let reason = await refusal(of: request, identified.caller, payload, manifest, isCredential: isCredential) {
            var ending = unhandled(reason, caller: name)
            if reason == .screenLocked, payload.screenLockedBehavior == .cancel {
                ending.outcome.outcome = .canceled
                ending.outcome.error = AuthorizationFailure(.canceled, "The screen is locked.")
            }
            return ending
        }
        let (outcome, detail) = await outcome(of: request, identified, payload, manifest, isCredential: isCredential)
        // Minutes may have passed, in which profile, domain or extension can have changed: then the answer is withheld.
        if outcome.reason == .answered,
            let reason = check.refusal(of: request, by: identified.caller, since: manifest)
        {
            return unhandled(reason, "the extension has answered, but this was so by then", caller: name)
        }
        return Ending(outcome: outcome, detail: detail, caller: name)
    }

    /// - Returns: nil if the extension may be asked.
    private func refusal(
        of request: CallerRequest, _ caller: Caller, _ payload: SingleSignOnPayload, _ manifest: ExtensionManifest,
        isCredential: Bool
    ) async -> BrokerReason? {
        guard !payload.deniedBundleIdentifiers.contains(caller.bundleIdentifier) else { return .callerDenied }
        // An extension that loads a page itself would otherwise be asked about its own request.
        guard isCredential || !hosts.haveStarted(request.peer.processIdentifier) else { return .fromExtension }
        // The screen lock is the only thing that this check awaits.
        if request.presentation != .none, await settings.isScreenLocked() { return .screenLocked }
        return check.refusal(of: request, by: caller, since: manifest)
    }

    private func outcome(
        of request: CallerRequest, _ identified: CallerIdentifier.Identified, _ payload: SingleSignOnPayload,
        _ manifest: ExtensionManifest, isCredential: Bool
    ) async -> (BrokerOutcome, detail: String?) {
        let identifier = manifest.identity.extensionIdentifier
        let message = request.message
        let question = ExtensionRequest(
            id: 0, url: message.url, operation: request.operation, headers: message.headers ?? [],
            body: message.body ?? Data(), realm: payload.realm ?? "", extensionData: payload.extensionData,
            caller: identified.caller,
            options: ExtensionOptions.options(
                of: message, heedingPage: identified.isBridge, by: identified.caller.processIdentifier),
            isUserInterfaceEnabled: request.presentation != .none, isCredential: isCredential)
        let presenter = presenter(for: request, identified, payload, manifest)
        let result = await hosts.host(of: manifest).perform(
            question, presenter: presenter, wake: wakeTaker(payload))
        await presenter.close()
        switch result {
        case .answered(let answer):
            var (outcome, detail) = AnswerCheck.outcome(of: answer, to: question)
            outcome.extension = identifier
            return (outcome, detail)
        case .ended(let reason, let problem):
            let told = problem?.told ?? "The extension could not be asked (\(reason.rawValue))."
            let error = AuthorizationFailure(.failed, told)
            return (BrokerOutcome(.failed, reason: reason, error: error, extension: identifier), problem?.detail)
        }
    }

    // MARK: What callers show themselves

    private func presenter(
        for request: CallerRequest, _ identified: CallerIdentifier.Identified, _ payload: SingleSignOnPayload,
        _ manifest: ExtensionManifest
    ) -> any ExtensionHost.Presenter {
        let organization = check.installation.organizations[payload.uuid]
        let onDesktop = desktop.session(manifest, of: organization, identified)
        switch request.presentation {
        case .none: return NoPresenter()
        case .tab where identified.isBridge, .terminal where identified.mayDrawInTerminal:
            let number = settings.surroundings.randomBytes(16).hexadecimal
            drawings.begin(number, request.exchange, request.peer)
            return CallerPresenter(
                broker: self, number: number, session: onDesktop, isBrowser: request.presentation == .tab)
        default: return onDesktop
        }
    }

    /// Hands something to the caller to show, and waits for what the person does with it.
    func draw(_ presenting: BrokerEvent.Presenting) async -> PresentationResult {
        await withCheckedContinuation { continuation in
            let exchange = drawings.show(presenting.id) { continuation.resume(returning: $0) }
            guard let exchange else { return continuation.resume(returning: .canceled) }
            exchange.line(BrokerEvent.presenting(presenting))
        }
    }

    private func presented(_ exchange: HTTPExchange, _ peer: Peer, _ number: String) {
        guard drawings.isShown(number, by: peer) else {
            return exchange.fail(.notFound, "Nothing is shown under this number.")
        }
        guard
            let result = try? JSONDecoder().decode(PresentationResult.self, from: Data(exchange.body.readableBytesView))
        else {
            return exchange.fail(.badRequest, "The body is no result of a presentation.")
        }
        answerDrawing(number, result)
        exchange.json(["answered": true])
    }

    /// Does nothing if nothing is shown under the number.
    func answerDrawing(_ number: String, _ result: PresentationResult) { drawings.takeAnswer(number)?(result) }

    /// To be called when the request is over.
    func endDrawing(_ number: String) { drawings.end(number) }
}
