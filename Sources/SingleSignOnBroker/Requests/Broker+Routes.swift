import Foundation
import NIOCore
import NIOHTTP1
import SingleSignOn
import SingleSignOnWire

extension Broker {
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

    func status() async -> BrokerStatus {
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

    func debug(_ exchange: HTTPExchange, _ identifier: String) {
        guard let manifest = installation.manifests[identifier] else {
            return exchange.fail(.notFound, "No extension on this device has the identifier “\(identifier.printable)”.")
        }
        let host = host(of: manifest)
        Task {
            await host.waitForDebugger()
            exchange.json(await host.status)
        }
    }

    func sendLog(_ exchange: HTTPExchange) {
        guard exchange.query("follow") != nil else { return exchange.json(log.entries) }
        exchange.begin()
        exchange.lines(log.entries)
        let listener = log.listen { exchange.lineUnlessSlow($0) }
        exchange.channel.closeFuture.whenComplete { _ in self.assumeIsolated { $0.log.forget(listener) } }
    }

    func sendEvents(_ exchange: HTTPExchange) {
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

    /// The last line.
    func send(_ outcome: BrokerOutcome, to exchange: HTTPExchange) {
        if streaming.remove(ObjectIdentifier(exchange.channel)) != nil {
            exchange.line(BrokerEvent.finished(outcome))
            exchange.end()
        } else {
            exchange.json(BrokerEvent.finished(outcome))
        }
    }
}
