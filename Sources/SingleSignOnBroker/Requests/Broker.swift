import Foundation
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SingleSignOn
import SingleSignOnWire

/// Decides about every request: which extension is asked, on whose behalf, and what the caller may get.
///
/// It lives on one event loop, together with its connections, so that a request that nothing covers is answered where it
/// was read. design: D14, it fails open and fast, but never on proof.
public actor Broker {
    nonisolated let loop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    private let settings: Settings
    private let logger: Logger
    private let callers: CallerIdentifier
    private let domains: DomainRegistry
    private let desktop: DesktopPresenter
    private var installation = Installation()
    private var hosts: [String: ExtensionHost] = [:]
    /// Payloads that are there no more, by UUID, until their extensions have heard of it.
    private var lost: [String: SingleSignOnPayload] = [:]
    private var log = RequestLog()
    private var changeListeners: [UInt64: () -> Void] = [:]
    private var lastListener: UInt64 = 0
    private var openRequests = 0
    private var openByCaller: [Int32: Int] = [:]
    /// Forms that callers draw themselves, by the number that they got.
    private var drawn: [String: Drawn] = [:]
    /// Connections whose answer has begun.
    private var streaming: Set<ObjectIdentifier> = []

    private static let configurationRemoved = "configurationRemoved"

    private struct Drawn {
        let peer: Peer
        let answer: (PresentationResult) -> Void
    }

    struct Settings: Sendable {
        var timing = ExtensionHost.Timing()
        /// What extensions are started with.
        var environment: [String: String] = [:]
        /// The folder in which every extension has a folder of its own.
        var dataFolder: String
        var requestsMax = 4_096
        var requestsPerCallerMax = 128
        var isScreenLocked: @Sendable () async -> Bool = { false }
    }

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
        // What a domain says decides what is covered, and browsers keep a list of that.
        domains.onChange { [weak self] in Task { await self?.tellListeners() } }
    }

    // MARK: What is installed

    /// Takes up what is installed now. Extensions that lose a profile hear of it.
    func install(_ new: Installation) {
        let old = installation
        installation = new
        for problem in new.problems where !old.problems.contains(problem) {
            logger.error("left out", metadata: ["file": "\(problem.source)", "problem": "\(problem.text)"])
        }
        domains.update(new.claims)
        // One that has changed is started anew.
        for (identifier, host) in hosts where new.manifests[identifier] != host.manifest {
            hosts[identifier] = nil
            Task { await host.retire() }
        }
        let present = Set(new.payloads.map(\.uuid))
        for payload in old.payloads where !present.contains(payload.uuid) { lost[payload.uuid] = payload }
        for uuid in present { lost[uuid] = nil }
        // A profile that cannot be read now is not gone, and its extension must not forget everybody.
        if new.areProfilesWhole {
            for payload in lost.values { tellRemoval(of: payload) }
            lost = [:]
        }
        tellListeners()
    }

    private func tellListeners() {
        for listener in changeListeners.values { listener() }
    }

    /// extensible-sso.md section 1.5: so that the extension can forget what belongs to the profile.
    private func tellRemoval(of payload: SingleSignOnPayload) {
        guard let manifest = installation.manifest(of: payload) else { return }
        let caller = Caller(
            bundleIdentifier: "lanyard-broker", teamIdentifier: "", displayName: "Lanyard", isManaged: true,
            processIdentifier: getpid())
        let request = ExtensionRequest(
            id: 0, url: payload.urls.first?.text ?? "sso-realm:\(payload.realm ?? "")",
            operation: Self.configurationRemoved, headers: [], body: Data(), realm: payload.realm ?? "",
            extensionData: payload.extensionData, caller: caller, options: [:], isUserInterfaceEnabled: false,
            isCredential: payload.urls.isEmpty)
        let host = host(of: manifest)
        Task { _ = await host.perform(request, presenter: NoPresenter()) }
    }

    private func host(of manifest: ExtensionManifest) -> ExtensionHost {
        let identifier = manifest.identity.extensionIdentifier
        if let host = hosts[identifier], host.manifest == manifest { return host }
        var environment = settings.environment
        environment[ExtensionProtocol.dataVariable] = "\(settings.dataFolder)/\(identifier.fileName)"
        let host = ExtensionHost(
            manifest, on: loop, timing: settings.timing, environment: environment, logger: logger)
        hosts[identifier] = host
        return host
    }

    func shutDown() async {
        for host in hosts.values { await host.shutDown() }
        hosts = [:]
        await desktop.shutDown()
    }

    // MARK: Questions

    private enum Coverage {
        case covered(SingleSignOnPayload, ExtensionManifest, isCredential: Bool)
        case not(BrokerReason, SingleSignOnPayload? = nil)
    }

    private func coverage(of url: String, responseCode: Int, isOperation: Bool) -> Coverage {
        guard let payload = payload(for: url, responseCode: responseCode, isOperation: isOperation) else {
            return .not(.notCovered)
        }
        guard let manifest = installation.manifest(of: payload) else { return .not(.extensionMissing, payload) }
        let isRedirect = !payload.urls.isEmpty
        if isRedirect {
            // Closed on whatever cannot be asked for.
            let identity = manifest.identity
            guard let host = WebOrigin(of: url)?.host,
                domains.holds(extension: identity.extensionIdentifier, team: identity.teamIdentifier, host: host)
            else { return .not(.domainNotApproved, payload) }
        }
        return .covered(payload, manifest, isCredential: !isRedirect)
    }

    /// extensible-sso.md section 5.3 for realms and hosts, 8.22 for the code.
    private func payload(for url: String, responseCode: Int, isOperation: Bool) -> SingleSignOnPayload? {
        let index = installation.index
        if let (scheme, name) = Self.named(url) {
            return scheme.hasSuffix("realm")
                ? index.credential(forRealm: name) : index.credential(forHost: name)?.payload
        }
        switch responseCode {
        case 401, 407: return WebOrigin(of: url).flatMap { index.credential(forHost: $0.host)?.payload }
        default:
            if let match = index.redirect(for: url) { return match.payload }
            guard isOperation, let origin = WebOrigin(of: url) else { return nil }
            return index.credential(forHost: origin.host)?.payload
        }
    }

    /// `sso-realm:NAME`, `sso-host:NAME`, also with two slashes, and the shorter names of old documents.
    private static func named(_ url: String) -> (scheme: String, name: String)? {
        for scheme in ["sso-realm", "sso-host", "realm", "host"] where url.hasPrefix("\(scheme):") {
            let name = url.dropFirst(scheme.count + 1)
            return (scheme, String(name.hasPrefix("//") ? name.dropFirst(2) : name))
        }
        return nil
    }

    func match(_ url: String, responseCode: Int) -> BrokerMatch {
        let explanation = installation.index.explain(url).description
        switch coverage(of: url, responseCode: responseCode, isOperation: responseCode == 0) {
        case .covered(let payload, let manifest, _):
            return BrokerMatch(
                isCovered: true, extension: manifest.identity.extensionIdentifier,
                extensionName: manifest.displayName, organization: installation.organizations[payload.uuid],
                reason: .answered, explanation: explanation)
        case .not(let reason, let payload):
            let more =
                switch reason {
                case .domainNotApproved: " But the domain has not agreed to this extension: see `lanyard sso domains`."
                case .extensionMissing: " But this extension is not on this device, or is another team's."
                default: ""
                }
            return BrokerMatch(
                isCovered: false, extension: payload?.extensionIdentifier, extensionName: nil, reason: reason,
                explanation: explanation + more)
        }
    }

    // MARK: HTTP

    /// Serves one exchange. Called on the event loop.
    func serve(_ exchange: HTTPExchange) {
        guard let peer = exchange.peer, peer.user == geteuid() || peer.user == 0 else {
            return exchange.fail(.forbidden, "This socket is another user's.")
        }
        // A browser cannot reach a Unix socket; what a page could make a proxy send has this.
        guard exchange.head.headers["Origin"].isEmpty else { return exchange.fail(.forbidden, "No page may ask.") }
        let path = exchange.path.split(separator: "/", omittingEmptySubsequences: true)
        switch (exchange.head.method, path) {
        case (.POST, ["v1", "requests"]): request(exchange, peer)
        case (.POST, _) where path.count == 4 && path[..<2] == ["v1", "requests"] && path[3] == "presentation":
            presented(exchange, peer, String(path[2]))
        case (.GET, ["v1", "match"]):
            guard let url = exchange.query("url") else { return exchange.fail(.badRequest, "“url” is missing.") }
            exchange.json(match(url, responseCode: exchange.query("responseCode").flatMap { Int($0) } ?? 0))
        case (.GET, ["v1", "status"]): Task { exchange.json(await status()) }
        case (.GET, ["v1", "domains"]): exchange.json(domains.entries())
        case (.POST, ["v1", "domains", "refresh"]):
            Task {
                await domains.refresh()
                exchange.json(domains.entries())
            }
        case (.GET, ["v1", "log"]): sendLog(exchange)
        case (.GET, ["v1", "events"]): sendEvents(exchange)
        case (.POST, _) where path.count == 4 && path[..<2] == ["v1", "extensions"] && path[3] == "debug":
            debug(exchange, String(path[2]))
        default: exchange.fail(.notFound, "There is nothing at \(exchange.head.method) \(exchange.path).")
        }
    }

    private func status() async -> BrokerStatus {
        var extensions: [BrokerStatus.Extension] = []
        for (identifier, manifest) in installation.manifests.sorted(by: { $0.key < $1.key }) {
            if let host = hosts[identifier] {
                extensions.append(await host.status)
            } else {
                extensions.append(
                    .init(
                        identifier: identifier, name: manifest.displayName, state: "stopped", processIdentifier: nil,
                        openRequests: 0))
            }
        }
        let urls = installation.payloads.flatMap(\.urls).filter {
            if case .covered = coverage(of: $0.canonical, responseCode: 0, isOperation: false) { true } else { false }
        }
        return BrokerStatus(
            version: BrokerProtocol.version, processIdentifier: getpid(), profiles: installation.profiles,
            extensions: extensions, urls: urls.map(\.canonical))
    }

    private func debug(_ exchange: HTTPExchange, _ identifier: String) {
        guard let manifest = installation.manifests[identifier] else {
            return exchange.fail(.notFound, "No extension on this device has the identifier “\(identifier.printable)”.")
        }
        let host = host(of: manifest)
        Task {
            await host.waitForDebugger()
            exchange.json(await host.status)
        }
    }

    private func sendLog(_ exchange: HTTPExchange) {
        guard exchange.query("follow") != nil else { return exchange.json(log.entries) }
        exchange.begin()
        exchange.lines(log.entries)
        let listener = log.listen { exchange.lineUnlessSlow($0) }
        exchange.channel.closeFuture.whenComplete { _ in self.assumeIsolated { $0.log.forget(listener) } }
    }

    private func sendEvents(_ exchange: HTTPExchange) {
        exchange.begin()
        let line = ByteBuffer(string: #"{"event":"profilesChanged"}"# + "\n")
        exchange.line(line)
        lastListener += 1
        let listener = lastListener
        changeListeners[listener] = { exchange.lineUnlessSlow(line) }
        exchange.channel.closeFuture.whenComplete { _ in
            self.assumeIsolated { $0.changeListeners[listener] = nil }
        }
    }

    // MARK: Requests

    private func request(_ exchange: HTTPExchange, _ peer: Peer) {
        let start = NIODeadline.now()
        let request: BrokerRequest
        do {
            request = try JSONDecoder().decode(BrokerRequest.self, from: exchange.body)
        } catch {
            return exchange.fail(.badRequest, "The body is no request: \(DecodingProblem(error)).")
        }
        let responseCode = request.responseCode ?? 0
        guard [0, 401, 407].contains(responseCode) else {
            return exchange.fail(.badRequest, "“responseCode” is 0, 401 or 407.")
        }
        let operation = request.operation ?? ""
        // The broker's own word: an extension forgets everything when it hears it.
        guard operation != Self.configurationRemoved else {
            return exchange.fail(.badRequest, "“\(operation)” is no operation that a caller may ask for.")
        }
        guard operation.utf8.count <= 256 else {
            return exchange.fail(.badRequest, "“operation” has at most 256 bytes.")
        }
        func finish(_ outcome: BrokerOutcome, _ detail: String? = nil, caller: String = "") {
            let time = (NIODeadline.now() - start).nanoseconds / 1_000_000
            log.append(
                BrokerLogEntry(
                    time: Date(), url: request.url.withoutSecrets, operation: operation, caller: caller,
                    extension: outcome.extension, outcome: outcome.outcome, reason: outcome.reason,
                    detail: detail?.printable,
                    milliseconds: Int(time)), to: logger)
        }

        switch coverage(of: request.url, responseCode: responseCode, isOperation: !operation.isEmpty) {
        case .not(let reason, let payload):
            let outcome = BrokerOutcome.unhandled(reason, operation, extension: payload?.extensionIdentifier)
            finish(
                outcome,
                caller: reason == .notCovered
                    ? ""
                    : callers.identify(peer, speaksForBrowser: request.presentation == .tab)?.caller.bundleIdentifier
                        ?? "")
            send(outcome, to: exchange)
        case .covered(let payload, let manifest, let isCredential):
            let task = Task {
                let (outcome, detail, caller) = await handle(
                    request, exchange, peer, payload, manifest, isCredential: isCredential)
                finish(outcome, detail, caller: caller)
                send(outcome, to: exchange)
            }
            exchange.channel.closeFuture.whenComplete { _ in task.cancel() }
        }
    }

    private func handle(
        _ request: BrokerRequest, _ exchange: HTTPExchange, _ peer: Peer, _ payload: SingleSignOnPayload,
        _ manifest: ExtensionManifest, isCredential: Bool
    ) async -> (outcome: BrokerOutcome, detail: String?, caller: String) {
        let operation = request.operation ?? ""
        let identifier = manifest.identity.extensionIdentifier
        func unhandled(
            _ reason: BrokerReason, _ detail: String? = nil, caller: String = ""
        ) -> (BrokerOutcome, String?, String) {
            (BrokerOutcome.unhandled(reason, operation, extension: identifier), detail, caller)
        }

        guard openRequests < settings.requestsMax,
            openByCaller[peer.processIdentifier, default: 0] < settings.requestsPerCallerMax
        else { return unhandled(.tooManyRequests, "process \(peer.processIdentifier)") }
        openRequests += 1
        openByCaller[peer.processIdentifier, default: 0] += 1
        defer {
            openRequests -= 1
            openByCaller[peer.processIdentifier, default: 1] -= 1
            if openByCaller[peer.processIdentifier] == 0 { openByCaller[peer.processIdentifier] = nil }
        }

        guard let identified = callers.identify(peer, speaksForBrowser: request.presentation == .tab) else {
            return unhandled(.callerUnknown)
        }
        let (caller, isBridge) = (identified.caller, identified.isBridge)
        let name = caller.bundleIdentifier
        guard !payload.deniedBundleIdentifiers.contains(name) else { return unhandled(.callerDenied, caller: name) }
        // What an extension loads itself must not come back to it.
        if !isCredential, await isExtension(peer) { return unhandled(.fromExtension, caller: name) }

        let presentation = request.presentation ?? .desktop
        if presentation != .none, await settings.isScreenLocked() {
            guard payload.screenLockedBehavior == .cancel else { return unhandled(.screenLocked, caller: name) }
            let outcome = BrokerOutcome(
                .canceled, reason: .screenLocked,
                error: AuthorizationFailure(.canceled, "The screen is locked."), extension: identifier)
            return (outcome, nil, name)
        }

        let ask = ExtensionRequest(
            id: 0, url: request.url, operation: operation, headers: request.headers ?? [],
            body: request.body ?? Data(), realm: payload.realm ?? "", extensionData: payload.extensionData,
            caller: caller, options: Self.options(of: request, heedingPage: isBridge),
            isUserInterfaceEnabled: presentation != .none, isCredential: isCredential)
        let presenter: any ExtensionHost.Presenter =
            switch presentation {
            case .none: NoPresenter()
            case .tab where isBridge, .terminal where identified.mayDrawInTerminal:
                CallerPresenter(self, exchange, peer, desktop.session(manifest, caller))
            default: desktop.session(manifest, caller)
            }
        // Something may have changed while the caller was looked at.
        guard installation.manifest(of: payload) == manifest else { return unhandled(.extensionMissing, caller: name) }
        switch await host(of: manifest).perform(ask, presenter: presenter) {
        case .answered(let answer):
            var (outcome, detail) = AnswerCheck.outcome(of: answer, to: ask)
            outcome.extension = identifier
            if let detail, outcome.reason == .wrongCompletion || outcome.reason == .unusableResponse {
                logger.error(
                    "its answer was not passed on",
                    metadata: ["extension": "\(identifier)", "reason": "\(detail.printable)"])
            }
            return (outcome, detail, name)
        case .ended(let reason, let detail):
            let error = AuthorizationFailure(
                .failed, detail ?? "The extension could not be asked (\(reason.rawValue)).")
            return (BrokerOutcome(.failed, reason: reason, error: error, extension: identifier), detail, name)
        }
    }

    /// What the broker alone says, and not the caller: extensions rest on it.
    private static let brokersOwnOptions: Set<String> = [
        "responseCode", "isProxy", "challenges", "userActionInitiated", "initiatorOrigin", "initiatingAction",
        "initiatingPath",
    ]

    /// extensible-sso.md sections 4.6 and 8.7.
    private static func options(of request: BrokerRequest, heedingPage: Bool) -> [String: PropertyListValue] {
        var options: [String: PropertyListValue] = [:]
        for option in request.options ?? [] where !brokersOwnOptions.contains(option.name) {
            options[option.name] = .string(option.value)
        }
        if let scopes = request.scopes { options["scope"] = .string(scopes.joined(separator: " ")) }
        options["state"] = request.state.map(PropertyListValue.string) ?? options["state"]
        options["nonce"] = request.nonce.map(PropertyListValue.string) ?? options["nonce"]
        if let code = request.responseCode, code != 0 {
            options["responseCode"] = .integer(Int64(code))
            options["isProxy"] = .boolean(code == 407)
            let challenges = (request.headers ?? []).values(of: code == 407 ? "Proxy-Authenticate" : "WWW-Authenticate")
            options["challenges"] = .array(challenges.map(PropertyListValue.string))
        }
        if heedingPage, let page = request.page {
            options["userActionInitiated"] = page.userActionInitiated.map(PropertyListValue.boolean)
            options["initiatorOrigin"] = page.initiatorOrigin.map(PropertyListValue.string)
            options["initiatingAction"] = page.initiatingAction.map { .integer(Int64($0)) }
            options["initiatingPath"] = page.initiatingPath.map(PropertyListValue.string)
        }
        return options
    }

    /// Whether the process is a running extension, or was started by one.
    private func isExtension(_ peer: Peer) async -> Bool {
        guard !hosts.isEmpty else { return false }
        var running: Set<Int32> = []
        for host in hosts.values {
            if let identifier = await host.processIdentifier { running.insert(identifier) }
        }
        var identifier = peer.processIdentifier
        for _ in 0..<8 where identifier > 1 {
            if running.contains(identifier) { return true }
            identifier = ProcessFacts.parent(of: identifier) ?? 0
        }
        return false
    }

    // MARK: What callers draw themselves

    private func presented(_ exchange: HTTPExchange, _ peer: Peer, _ number: String) {
        guard let form = drawn[number], form.peer == peer else {
            return exchange.fail(.notFound, "Nothing is shown under this number.")
        }
        guard let result = try? JSONDecoder().decode(PresentationResult.self, from: exchange.body) else {
            return exchange.fail(.badRequest, "The body is no result of a presentation.")
        }
        answer(number, result)
        exchange.json(["answered": true])
    }

    /// Hands something to the caller, and waits for what the person does with it.
    func draw(_ presenting: BrokerEvent.Presenting, to exchange: HTTPExchange, _ peer: Peer) async -> PresentationResult
    {
        await withCheckedContinuation { continuation in
            drawn[presenting.id] = Drawn(peer: peer) { continuation.resume(returning: $0) }
            if streaming.insert(ObjectIdentifier(exchange.channel)).inserted { exchange.begin() }
            exchange.line(BrokerEvent.presenting(presenting))
        }
    }

    /// Nothing happens if nobody waits for it any more.
    func answer(_ number: String, _ result: PresentationResult) {
        drawn.removeValue(forKey: number)?.answer(result)
    }

    /// The last line.
    private func send(_ outcome: BrokerOutcome, to exchange: HTTPExchange) {
        if streaming.remove(ObjectIdentifier(exchange.channel)) != nil {
            exchange.line(BrokerEvent.finished(outcome))
            exchange.end()
        } else {
            exchange.json(BrokerEvent.finished(outcome))
        }
    }
}
