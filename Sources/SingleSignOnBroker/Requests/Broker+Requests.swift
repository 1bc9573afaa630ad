import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SingleSignOn
import SingleSignOnWire

extension Broker {
    func request(_ exchange: HTTPExchange, _ peer: Peer) {
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

    func handle(
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

    /// extensible-sso.md sections 4.6 and 8.7.
    static func options(of request: BrokerRequest, heedingPage: Bool) -> [String: PropertyListValue] {
        var options: [String: PropertyListValue] = [:]
        for option in request.options ?? [] { options[option.name] = .string(option.value) }
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
    func isExtension(_ peer: Peer) async -> Bool {
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
}
