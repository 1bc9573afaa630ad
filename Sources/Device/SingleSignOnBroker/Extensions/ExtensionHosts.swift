import Ground
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The hosts of all extensions, each made when it is needed first. Used on their event loop alone.
struct ExtensionHosts {
    private let loop: any EventLoop
    private let settings: Broker.Settings
    private let logger: Logger
    /// By the extension's identifier.
    private var hosts: [String: ExtensionHost] = [:]

    init(on loop: any EventLoop, settings: Broker.Settings, logger: Logger) {
        self.loop = loop
        self.settings = settings
        self.logger = logger
    }

    var all: [ExtensionHost] { Array(hosts.values) }

    mutating func host(of manifest: ExtensionManifest) -> ExtensionHost {
        let identifier = manifest.identity.extensionIdentifier
        if let host = hosts[identifier] { return host }
        var environment = settings.environment
        environment[ExtensionProtocol.dataVariable] = ExtensionProtocol.dataFolder(
            of: identifier, in: settings.stateFolder)
        let host = ExtensionHost(
            manifest, on: loop, timing: settings.timing, environment: environment, now: settings.surroundings.now,
            logger: logger)
        hosts[identifier] = host
        return host
    }

    /// Tells each host what is installed of its extension now.
    func take(_ manifests: [String: ExtensionManifest]) {
        for (identifier, host) in hosts { host.assumeIsolated { $0.take(manifests[identifier]) } }
    }

    /// Why an extension is not asked now, and for how long; nil if it is.
    func backedOff(_ identifier: String) -> ExtensionHost.Problem? {
        hosts[identifier]?.assumeIsolated { $0.backedOff }
    }

    func status(of manifest: ExtensionManifest) -> BrokerStatus.Extension {
        let identifier = manifest.identity.extensionIdentifier
        return hosts[identifier]?.assumeIsolated { $0.status }
            ?? .init(identifier: identifier, name: manifest.displayName, state: .stopped)
    }

    /// Whether a process is a running extension, or was started by one. If a program that an extension has started
    /// loses its own parent, the extension becomes its parent, see ``ChildProgram``.
    func haveStarted(_ processIdentifier: Int32) -> Bool {
        let running = Set(hosts.values.flatMap { $0.assumeIsolated { $0.processIdentifiers } })
        guard !running.isEmpty else { return false }
        var identifier = processIdentifier
        // The kernel may give a number to another process meanwhile, so that the parents could form a circle.
        var seen: Set<Int32> = []
        while identifier > 1, seen.insert(identifier).inserted {
            if running.contains(identifier) { return true }
            identifier = ProcessFacts.parent(of: identifier) ?? 0
        }
        return false
    }

    mutating func forgetAll() { hosts = [:] }
}
