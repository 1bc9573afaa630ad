import SingleSignOn
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

extension BrokerStatus {
    /// - Parameter hosts: of the extensions; they say which of them run.
    init(_ check: CoverageCheck, _ hosts: ExtensionHosts, _ settings: Broker.Settings) {
        let installation = check.installation
        var urls: [String] = []
        var (hostsNotAgreed, hostsNotAsked): (Set<String>, Set<String>) = ([], [])
        for prefix in installation.payloads.flatMap(\.urls) {
            switch check.coverage(of: prefix.canonical, responseCode: 0, isOperation: false) {
            case .covered: urls.append(prefix.canonical)
            case .not(let reason, let payload) where reason == .domainNotApproved:
                let isAsked = check.detail(of: reason, payload, url: prefix.canonical) == nil
                if isAsked { hostsNotAgreed.insert(prefix.host) } else { hostsNotAsked.insert(prefix.host) }
            case .not: continue
            }
        }
        self.init(
            version: BrokerProtocol.version, processIdentifier: getpid(), profiles: installation.profiles,
            extensions: installation.manifests.sorted { $0.key < $1.key }.map { hosts.status(of: $0.value) },
            urls: urls)
        profilePlaces = settings.profilePlaces
        stateFolder = settings.stateFolder
        self.hostsNotAgreed = hostsNotAgreed.sorted()
        self.hostsNotAsked = hostsNotAsked.sorted()
        faultyManifests = installation.faultyManifests.map { .init(source: $0.source, problem: $0.problem) }
    }
}
