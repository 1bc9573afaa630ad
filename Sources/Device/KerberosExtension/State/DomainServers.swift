import ExtensionVault
import Ground
import KerberosDomain
import KerberosProfile
import SingleSignOnExtension
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What was found of a realm's domain, and is kept until it is looked for again.
struct FoundServers: Codable, Equatable, Sendable {
    /// In the notation of `preferredKDCs`, the best one first.
    var keyDistributionCenters: [String] = []
    var passwordServers: [String] = []
    /// Domain controllers as servers of LDAP, such as `dc1.corp.test:389`. With none the domain is not of Active Directory.
    var controllers: [String] = []
    /// The site of this computer; nil if it is not known.
    var site: String?
    /// What the payload says about the site. Another one has the domain looked for anew.
    var wish: Wish
    /// Where this computer was, as ``NetworkPlace`` says it.
    var network: String
    /// When it was last looked for, with or without success.
    var lookedAt: Date
    /// Why no servers were found then, as a sentence in English; nil if there were some.
    var problem: String?

    struct Wish: Codable, Equatable, Sendable {
        let siteCode: String?
        let looksForSite: Bool

        init(_ settings: KerberosSettings) {
            siteCode = settings.siteCode
            looksForSite = settings.useSiteAutoDiscovery
        }
    }
}

/// Finds the servers of realms and keeps what was found, because the process ends soon after each request.
/// docs/specifications/extensible-single-sign-on.md, 24.
struct DomainServers: Sendable {
    let folder: ExtensionFolder
    let discovery: DomainDiscovery
    let surroundings: Surroundings
    /// Says where this computer is in the network. What was found elsewhere counts only if nothing is found here.
    let network: @Sendable () -> String
    /// How long a request waits for an answer. The search goes on after that, for later requests.
    var limit: Duration = .seconds(5)
    private let searches = SingleFlights<String, FoundServers>()

    /// How long what was found counts.
    static let freshness: TimeInterval = 3600
    /// How long nothing is looked for after a search in vain.
    static let pause: TimeInterval = 30
    /// Where the payload names servers, a domain without records is nothing unusual.
    static let pauseBesidePreferred: TimeInterval = 900

    init(
        folder: ExtensionFolder, discovery: DomainDiscovery, surroundings: Surroundings,
        network: @escaping @Sendable () -> String
    ) {
        self.folder = folder
        self.discovery = discovery
        self.surroundings = surroundings
        self.network = network
    }

    /// The servers of the payload's realm: those that were found in the last hour at this place, or else those that are found
    /// now. Where nothing is found now, those of earlier, with the reason.
    /// - Parameter isAnew: whether they are looked for although they are known.
    func servers(_ settings: KerberosSettings, isAnew: Bool = false) async -> FoundServers {
        let (realm, place) = (settings.realm, network())
        let known = known(realm)
        if !isAnew, let known, known.network == place, known.wish == .init(settings), isFresh(known, settings) {
            return known
        }
        let found = try? await within(limit) {
            try await searches.run("\(realm) \(place)") { await search(settings, place, known) }
        }
        if let found = found ?? nil { return found }
        // Written down, so that the next request does not wait for as long.
        let late = Self.merged(
            known, settings, place, surroundings.now(), problem: "The name servers have not answered in time.")
        write(late, realm)
        return late
    }

    private func isFresh(_ known: FoundServers, _ settings: KerberosSettings) -> Bool {
        let life =
            known.problem == nil
            ? Self.freshness : settings.preferredKDCs.isEmpty ? Self.pause : Self.pauseBesidePreferred
        // A clock that was set back makes nothing last longer.
        return (0..<life).contains(surroundings.now().timeIntervalSince(known.lookedAt))
    }

    private func search(_ settings: KerberosSettings, _ place: String, _ known: FoundServers?) async -> FoundServers {
        let lastSite = known?.network == place && known?.wish == .init(settings) ? known?.site : nil
        let found = await discovery.find(settings, lastSite: lastSite)
        let result: FoundServers
        if found.keyDistributionCenters.isEmpty {
            result = Self.merged(known, settings, place, surroundings.now(), problem: Self.problem(found))
        } else {
            result = FoundServers(
                keyDistributionCenters: found.keyDistributionCenters.map(\.description),
                passwordServers: found.passwordServers.map(\.description),
                controllers: found.controllers.map { "\($0.host):\($0.port)" }, site: found.site, wish: .init(settings),
                network: place, lookedAt: surroundings.now(), problem: nil)
        }
        write(result, settings.realm)
        return result
    }

    /// What was known before, with the reason why it is not known better now.
    private static func merged(
        _ known: FoundServers?, _ settings: KerberosSettings, _ place: String, _ time: Date, problem: String
    ) -> FoundServers {
        let wish = FoundServers.Wish(settings)
        return FoundServers(
            keyDistributionCenters: known?.keyDistributionCenters ?? [],
            passwordServers: known?.passwordServers ?? [], controllers: known?.controllers ?? [],
            site: settings.siteCode ?? (known?.network == place && known?.wish == wish ? known?.site : nil), wish: wish,
            network: place, lookedAt: time, problem: problem)
    }

    private static func problem(_ found: DiscoveredDomain) -> String {
        for case .noNameServer(let reason) in found.gaps {
            return "No name server has answered for \(found.domain): \(reason)."
        }
        return "The domain \(found.domain) has no SRV records for Kerberos, such as _kerberos._tcp.\(found.domain)."
    }

    // MARK: On the disk

    private static func file(_ realm: String) -> String { "domain-\(realm).json" }

    /// What is kept of a realm; nil if it was never looked for.
    func known(_ realm: String) -> FoundServers? {
        folder.read(Self.file(realm)).flatMap { try? JSONDecoder().decode(FoundServers.self, from: $0) }
    }

    private func write(_ found: FoundServers, _ realm: String) {
        do {
            try folder.write(JSONEncoder().encode(found), to: Self.file(realm))
        } catch {
            writeToLog("the servers of \(realm) are not kept: \(error)")
        }
    }

    func forget(_ realm: String) { folder.remove(Self.file(realm)) }
}

extension FoundServers {
    var centers: [KerberosServer] { keyDistributionCenters.compactMap { try? KerberosServer($0) } }
    var passwords: [KerberosServer] { passwordServers.compactMap { try? KerberosServer($0) } }
}
