import Foundation
import Ground
import NIOCore
import NIOHTTP1
import SingleSignOn
import SingleSignOnWire

extension Broker {
    /// Serves one exchange. Called on the event loop.
    func serve(_ exchange: HTTPExchange) {
        guard let peer = exchange.connection.peer, peer.user == geteuid() || peer.user == 0 else {
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
        case (.GET, ["v1", "status"]): exchange.json(status)
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

    private var status: BrokerStatus {
        let extensions = installation.manifests.sorted { $0.key < $1.key }.map { identifier, manifest in
            hosts[identifier]?.assumeIsolated { $0.status }
                ?? .init(identifier: identifier, name: manifest.displayName, state: .stopped)
        }
        var urls: [String] = []
        var (hostsNotAgreed, hostsNotAsked): (Set<String>, Set<String>) = ([], [])
        for prefix in installation.payloads.flatMap(\.urls) {
            switch coverage(of: prefix.canonical, responseCode: 0, isOperation: false) {
            case .covered: urls.append(prefix.canonical)
            case .not(let reason, let payload) where reason == .domainNotApproved:
                let isAsked = detail(of: reason, payload, url: prefix.canonical) == nil
                if isAsked { hostsNotAgreed.insert(prefix.host) } else { hostsNotAsked.insert(prefix.host) }
            case .not: continue
            }
        }
        var status = BrokerStatus(
            version: BrokerProtocol.version, processIdentifier: getpid(), profiles: installation.profiles,
            extensions: extensions, urls: urls)
        status.profilePlaces = settings.profilePlaces
        status.stateFolder = settings.stateFolder
        status.hostsNotAgreed = hostsNotAgreed.sorted()
        status.hostsNotAsked = hostsNotAsked.sorted()
        status.faultyManifests = installation.faultyManifests.map { .init(source: $0.source, problem: $0.problem) }
        return status
    }

    private func debug(_ exchange: HTTPExchange, _ identifier: String) {
        // Any program of the user could otherwise stop everybody's next sign-in.
        guard settings.isForAuthors else {
            return exchange.fail(.forbidden, "Only a broker for authors does this: start one with --author.")
        }
        guard let manifest = installation.manifests[identifier] else {
            return exchange.fail(
                .notFound, "No extension on this device has the identifier “\(identifier.inShortLine)”.")
        }
        exchange.json(
            host(of: manifest).assumeIsolated { host in
                host.waitForDebugger()
                return host.status
            })
    }

    private func sendLog(_ exchange: HTTPExchange) {
        guard exchange.query("follow") != nil else { return exchange.json(log.entries) }
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
}
