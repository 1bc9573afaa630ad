import Foundation
import Ground
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SingleSignOn
import SingleSignOnWire

/// What callers ask extensions.
extension Broker {
    private struct Ask {
        let exchange: HTTPExchange
        let peer: Peer
        let request: BrokerRequest
        let begun = NIODeadline.now()

        /// Empty for a request of the web.
        var operation: String { request.operation ?? "" }
        var responseCode: Int { request.responseCode ?? 0 }
        var presentation: BrokerRequest.Presentation { request.presentation ?? .desktop }
    }

    private struct Ending {
        var outcome: BrokerOutcome
        /// For the log.
        var detail: String?
        /// Nil where nobody looked at it.
        var caller: String?
    }

    /// `POST /v1/requests`
    func request(_ exchange: HTTPExchange, _ peer: Peer) {
        let ask: Ask
        do {
            ask = Ask(
                exchange: exchange, peer: peer,
                request: try JSONDecoder().decode(BrokerRequest.self, from: exchange.body))
        } catch {
            return exchange.fail(.badRequest, "The body is no request: \(DecodingProblem(error)).")
        }
        guard [0, 401, 407].contains(ask.responseCode) else {
            return exchange.fail(.badRequest, "“responseCode” is 0, 401 or 407.")
        }
        // The broker's own word: an extension forgets everything when it hears it.
        guard ask.operation != Self.configurationRemoved else {
            return exchange.fail(.badRequest, "“\(ask.operation)” is no operation that a caller may ask for.")
        }
        guard ask.operation.utf8.count <= 256 else {
            return exchange.fail(.badRequest, "“operation” has at most 256 bytes.")
        }
        switch coverage(of: ask) {
        case .not(let reason, let payload):
            // Most of the web is none of the broker's business: nobody is looked at for that.
            let caller = reason == .notCovered ? nil : identify(ask)?.caller.bundleIdentifier
            let outcome = BrokerOutcome.unhandled(reason, ask.operation, extension: payload?.extensionIdentifier)
            let detail = detail(of: reason, payload, url: ask.request.url)
            end(ask, Ending(outcome: outcome, detail: detail, caller: caller))
        case .covered(let payload, let manifest, let isCredential):
            let task = Task { end(ask, await handle(ask, payload, manifest, isCredential: isCredential)) }
            exchange.connection.whenGone { task.cancel() }
        }
    }

    private func end(_ ask: Ask, _ ending: Ending) {
        let time = (NIODeadline.now() - ask.begun).nanoseconds / 1_000_000
        let entry = BrokerLogEntry(
            ask.request, caller: ending.caller, ending.outcome, detail: ending.detail, at: settings.surroundings.now(),
            milliseconds: Int(time))
        log.append(entry, to: logger)
        // What nothing covers is all the rest of the web, and is not followed.
        if entry.reason != .notCovered, !logListeners.isEmpty { logListeners.tell(HTTPExchange.encoded(entry)) }
        ask.exchange.lastLine(BrokerEvent.finished(ending.outcome))
    }

    private func coverage(of ask: Ask) -> Coverage {
        coverage(of: ask.request.url, responseCode: ask.responseCode, isOperation: !ask.operation.isEmpty)
    }

    private func identify(_ ask: Ask) -> CallerIdentifier.Identified? {
        ask.peer.process(at: ask.exchange.channel).flatMap {
            callers.identify(ask.peer, $0, speaksForBrowser: ask.request.presentation == .tab)
        }
    }

    private func handle(
        _ ask: Ask, _ payload: SingleSignOnPayload, _ manifest: ExtensionManifest, isCredential: Bool
    ) async -> Ending {
        func unhandled(_ reason: BrokerReason, _ detail: String? = nil, caller: String? = nil) -> Ending {
            Ending(
                outcome: .unhandled(reason, ask.operation, extension: payload.extensionIdentifier), detail: detail,
                caller: caller)
        }

        let process = ask.peer.processIdentifier
        guard openRequests < settings.requestsMax, openByCaller[process, default: 0] < settings.requestsPerCallerMax
        else { return unhandled(.tooManyRequests, "process \(process)") }
        openRequests += 1
        openByCaller[process, default: 0] += 1
        defer {
            openRequests -= 1
            openByCaller[process, default: 1] -= 1
            if openByCaller[process] == 0 { openByCaller[process] = nil }
        }

        guard let identified = identify(ask) else { return unhandled(.callerUnknown) }
        let name = identified.caller.bundleIdentifier
        if let reason = await refusal(of: ask, identified.caller, payload, manifest, isCredential: isCredential) {
            var ending = unhandled(reason, caller: name)
            if reason == .screenLocked, payload.screenLockedBehavior == .cancel {
                ending.outcome.outcome = .canceled
                ending.outcome.error = AuthorizationFailure(.canceled, "The screen is locked.")
            }
            return ending
        }
        let (outcome, detail) = await outcome(of: ask, identified, payload, manifest, isCredential: isCredential)
        // Minutes may have passed, and what was true at first need not be any more. Proof never fails open.
        if outcome.reason == .answered, let reason = change(since: manifest, for: ask, identified.caller) {
            return unhandled(reason, "the extension has answered, but this was so by then", caller: name)
        }
        return Ending(outcome: outcome, detail: detail, caller: name)
    }

    /// - Returns: nil if the extension may be asked.
    private func refusal(
        of ask: Ask, _ caller: Caller, _ payload: SingleSignOnPayload, _ manifest: ExtensionManifest, isCredential: Bool
    ) async -> BrokerReason? {
        guard !payload.deniedBundleIdentifiers.contains(caller.bundleIdentifier) else { return .callerDenied }
        // What an extension loads itself must not come back to it.
        guard isCredential || !isExtension(ask.peer) else { return .fromExtension }
        // Nothing else is waited for here.
        if ask.presentation != .none, await settings.isScreenLocked() { return .screenLocked }
        return change(since: manifest, for: ask, caller)
    }

    /// - Returns: nil if the caller may still hear of this extension about this URL.
    private func change(since manifest: ExtensionManifest, for ask: Ask, _ caller: Caller) -> BrokerReason? {
        switch coverage(of: ask) {
        case .not(let reason, _): return reason
        case .covered(let payload, let present, _):
            let (old, new) = (manifest.identity, present.identity)
            guard (new.extensionIdentifier, new.teamIdentifier) == (old.extensionIdentifier, old.teamIdentifier) else {
                return .notCovered
            }
            return payload.deniedBundleIdentifiers.contains(caller.bundleIdentifier) ? .callerDenied : nil
        }
    }

    /// Asks the extension.
    private func outcome(
        of ask: Ask, _ identified: CallerIdentifier.Identified, _ payload: SingleSignOnPayload,
        _ manifest: ExtensionManifest, isCredential: Bool
    ) async -> (BrokerOutcome, detail: String?) {
        let identifier = manifest.identity.extensionIdentifier
        let request = ExtensionRequest(
            id: 0, url: ask.request.url, operation: ask.operation, headers: ask.request.headers ?? [],
            body: ask.request.body ?? Data(), realm: payload.realm ?? "", extensionData: payload.extensionData,
            caller: identified.caller, options: Self.options(of: ask.request, heedingPage: identified.isBridge),
            isUserInterfaceEnabled: ask.presentation != .none, isCredential: isCredential)
        let presenter = presenter(for: ask, identified, payload, manifest)
        let result = await host(of: manifest).perform(request, presenter: presenter)
        await presenter.close()
        switch result {
        case .answered(let answer):
            var (outcome, detail) = AnswerCheck.outcome(of: answer, to: request)
            outcome.extension = identifier
            return (outcome, detail)
        case .ended(let reason, let problem):
            let told = problem?.told ?? "The extension could not be asked (\(reason.rawValue))."
            let error = AuthorizationFailure(.failed, told)
            return (BrokerOutcome(.failed, reason: reason, error: error, extension: identifier), problem?.detail)
        }
    }

    private func presenter(
        for ask: Ask, _ identified: CallerIdentifier.Identified, _ payload: SingleSignOnPayload,
        _ manifest: ExtensionManifest
    ) -> any ExtensionHost.Presenter {
        let organization = installation.organizations[payload.uuid]
        let onDesktop = desktop.session(manifest, of: organization, identified)
        switch ask.presentation {
        case .none: return NoPresenter()
        case .tab where identified.isBridge, .terminal where identified.mayDrawInTerminal:
            let number = settings.surroundings.randomBytes(16).hexadecimal
            drawings[number] = Drawing(exchange: ask.exchange, peer: ask.peer)
            return CallerPresenter(
                broker: self, number: number, session: onDesktop, isBrowser: ask.presentation == .tab)
        default: return onDesktop
        }
    }

    /// What the broker alone says, and not the caller: extensions rest on it.
    private static let brokersOwnOptions: Set<String> = [
        "responseCode", "isProxy", "challenges", "userActionInitiated", "initiatorOrigin", "initiatingAction",
        "initiatingPath",
    ]

    /// extensible-sso.md sections 4.6 and 8.7.
    static func options(of request: BrokerRequest, heedingPage: Bool) -> [String: PropertyListValue] {
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

    /// Whether the process is a running extension, or was started by one. A program that has lost its own parent has the
    /// extension as its parent, see ``ChildProgram``.
    private func isExtension(_ peer: Peer) -> Bool {
        let running = Set(hosts.values.flatMap { $0.assumeIsolated { $0.processIdentifiers } })
        guard !running.isEmpty else { return false }
        var identifier = peer.processIdentifier
        // Numbers that pass from one process to another meanwhile could lead in a circle.
        var seen: Set<Int32> = []
        while identifier > 1, seen.insert(identifier).inserted {
            if running.contains(identifier) { return true }
            identifier = ProcessFacts.parent(of: identifier) ?? 0
        }
        return false
    }
}
