import Foundation
import Ground
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

/// Decides about every request: which extension is asked, on whose behalf, and what the caller may get.
///
/// It lives on one event loop, together with its connections, so that a request that nothing covers is answered where it
/// was read. design: D14, it fails open and fast, but never on proof.
public actor Broker {
    nonisolated let loop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    let settings: Settings
    let logger: Logger
    var callers: CallerIdentifier
    let domains: DomainRegistry
    let desktop: DesktopPresenter
    var installation = Installation()
    var hosts: [String: ExtensionHost] = [:]
    /// Payloads that are there no more, by UUID, until their extensions have heard of it.
    var lost: [String: SingleSignOnPayload] = [:]
    var log = RequestLog()
    /// Those who follow the log, in lines.
    let logListeners = Listeners<ByteBuffer>()
    /// Those who want to know when something else is covered.
    let changeListeners = Listeners<Void>()
    var openRequests = 0
    var openByCaller: [Int32: Int] = [:]
    /// Requests whose callers draw forms themselves, by the number that they get.
    var drawings: [String: Drawing] = [:]

    static let configurationRemoved = "configurationRemoved"

    struct Settings: Sendable {
        var timing = ExtensionHost.Timing()
        /// What extensions are started with.
        var environment: [String: String] = [:]
        var surroundings: Surroundings
        var stateFolder: String
        var profilePlaces: BrokerStatus.ProfilePlaces
        /// Whether it serves the authors of extensions, and not people.
        var isForAuthors = false
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
        domains.onChange { [weak self] in Task { await self?.tellChange() } }
    }

    /// Takes up what is installed now. Extensions that lose a profile hear of it.
    func install(_ new: Installation) {
        let old = installation
        installation = new
        for problem in new.problems where !old.problems.contains(problem) {
            logger.error("left out", metadata: ["file": "\(problem.source)", "problem": "\(problem.text)"])
        }
        callers.managedApps = new.managedApps
        domains.update(new.claims)
        for (identifier, host) in hosts { host.assumeIsolated { $0.take(new.manifests[identifier]) } }
        let present = Set(new.payloads.map(\.uuid))
        for payload in old.payloads where !present.contains(payload.uuid) { lost[payload.uuid] = payload }
        for uuid in present { lost[uuid] = nil }
        // A profile that cannot be read now is not gone, and its extension must not forget everybody.
        if new.areProfilesWhole {
            for payload in lost.values where !new.hasInPlace(of: payload) { tellRemoval(of: payload) }
            lost = [:]
        }
        tellChange()
    }

    private func tellChange() { changeListeners.tell(()) }

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
        Task {
            guard case .ended(let reason, _) = await host.perform(request, presenter: NoPresenter()) else { return }
            logger.warning(
                "an extension could not be told that its profile is gone",
                metadata: ["extension": "\(payload.extensionIdentifier.inShortLine)", "reason": "\(reason.rawValue)"])
        }
    }

    func host(of manifest: ExtensionManifest) -> ExtensionHost {
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

    func shutDown() async {
        for host in hosts.values { await host.shutDown() }
        hosts = [:]
        await desktop.shutDown()
    }
}
