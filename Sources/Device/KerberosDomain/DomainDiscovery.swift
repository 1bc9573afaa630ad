import Ground
import KerberosProfile
import NameServers

/// Finds the servers of a domain: by SRV records, and by asking domain controllers for the site of this computer.
/// docs/specifications/extensible-single-sign-on.md, 24.
package struct DomainDiscovery: Sendable {
    /// The number of domain controllers that are asked at once for the site.
    private static let controllersMax = 5

    private let names: NameServers
    private let surroundings: Surroundings
    private let patience: Duration
    private let queue = BlockingQueue(width: 2)

    /// - Parameters:
    ///   - servers: name servers, such as `127.0.0.1:5353`, separated by commas; nil for those of the system.
    ///   - patience: how long domain controllers have to answer, before they are asked again. They are asked three times.
    package init(servers: String? = nil, surroundings: Surroundings = .system, patience: Duration = .seconds(1)) {
        names = NameServers(servers, width: 8)
        self.surroundings = surroundings
        self.patience = patience
    }

    /// Looks for the domain of a realm in the way that the settings want.
    /// - Parameter lastSite: the site that was found before, at the same place in the network. It counts if no domain
    ///   controller says another.
    package func find(_ settings: KerberosSettings, lastSite: String? = nil) async -> DiscoveredDomain {
        await find(
            settings.realm, site: settings.siteCode, looksForSite: settings.useSiteAutoDiscovery, lastSite: lastSite)
    }

    /// - Parameters:
    ///   - domain: the name of a domain or realm.
    ///   - site: the site of this computer; nil if nobody has said it.
    ///   - looksForSite: whether domain controllers are asked for it then.
    ///   - lastSite: the site if none of them answers; nil if it was never found.
    package func find(
        _ domain: String, site: String? = nil, looksForSite: Bool = true, lastSite: String? = nil
    ) async -> DiscoveredDomain {
        guard let domain = DomainName.canonical(domain) else {
            return DiscoveredDomain(domain: domain, gaps: [.noDomainName])
        }
        var found = DiscoveredDomain(domain: domain)
        async let controllers = services("_ldap._tcp.dc._msdcs.\(domain)")
        async let overTCP = services("_kerberos._tcp.\(domain)")
        async let overUDP = services("_kerberos._udp.\(domain)")
        async let passwordsTCP = services("_kpasswd._tcp.\(domain)")
        async let passwordsUDP = services("_kpasswd._udp.\(domain)")
        let (allControllers, allCenters) = (await controllers, [await overTCP, await overUDP])
        let passwords = [await passwordsTCP, await passwordsUDP]

        found.controllers = allControllers.records
        found.site = site
        if site == nil, looksForSite, !found.controllers.isEmpty {
            found.description = await ask(found.controllers, domain: domain)
            found.site = found.description?.clientSite
            if found.description == nil {
                found.site = lastSite
                found.gaps.append(.noAnswerOfControllers)
            } else if found.site == nil {
                found.gaps.append(.noSite)
            }
        }
        var near: [ServiceRecord] = []
        if let site = found.site {
            async let nearControllers = services("_ldap._tcp.\(site)._sites.dc._msdcs.\(domain)")
            async let nearCenters = services("_kerberos._tcp.\(site)._sites.\(domain)")
            let nearest = await nearControllers.records
            near = await nearCenters.records
            if near.isEmpty { found.gaps.append(.noCenterOfSite(site)) }
            found.controllers = (nearest + found.controllers).unique
        }
        let centers = (near + allCenters.flatMap(\.records)).unique
        found.keyDistributionCenters = centers.compactMap { $0.server(standardPort: 88) }
        let nearHosts = Set(near.map(\.host))
        let all = passwords.flatMap(\.records).unique
        found.passwordServers =
            (all.filter { nearHosts.contains($0.host) } + all.filter { !nearHosts.contains($0.host) })
            .compactMap { $0.server(standardPort: 464) }

        if let reason = ([allControllers] + allCenters).compactMap(\.failure).first {
            found.gaps.append(.noNameServer(reason))
        }
        if centers.isEmpty { found.gaps.append(.noCenter) }
        if allControllers.records.isEmpty { found.gaps.append(.noController) }
        return found
    }

    private struct Found: Sendable {
        var records: [ServiceRecord] = []
        /// Why no name server has answered.
        var failure: String?
    }

    private func services(_ name: String) async -> Found {
        do {
            return Found(records: try await names.services(at: name, surroundings: surroundings))
        } catch NameServers.Failure.noAnswer(let reason) {
            return Found(failure: reason)
        } catch {
            return Found()
        }
    }

    private func ask(_ controllers: [ServiceRecord], domain: String) async -> DomainControllerDescription? {
        let first = Array(controllers.prefix(Self.controllersMax))
        let addresses = await withTaskGroup(of: (Int, [SocketAddress]).self) { group in
            for (index, controller) in first.enumerated() {
                group.addTask {
                    let found = try? await names.addresses(of: controller.host, port: controller.port)
                    return (index, Array((found ?? []).prefix(2)))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
        let round = PingRound(domain: domain, surroundings: surroundings, patience: patience, attempts: 3)
        return (try? await queue.run { round.first(of: addresses) }) ?? nil
    }
}

/// What is known of a domain, and what is not.
package struct DiscoveredDomain: Equatable, Sendable {
    /// Why something is missing.
    package enum Gap: Hashable, Sendable {
        /// The name is none that a domain can have.
        case noDomainName
        /// No name server has answered, with the reason in English.
        case noNameServer(String)
        /// The domain has no SRV records for Kerberos.
        case noCenter
        /// The domain has no SRV records for domain controllers, so it is none of Active Directory.
        case noController
        /// No domain controller has answered the question for the site.
        case noAnswerOfControllers
        /// The domain has no site for the address of this computer.
        case noSite
        /// The site has no SRV records for Kerberos.
        case noCenterOfSite(String)
    }

    /// In lower case.
    package let domain: String
    /// Those of the site first.
    package internal(set) var keyDistributionCenters: [KerberosServer] = []
    /// Servers for changing passwords; those of the site first.
    package internal(set) var passwordServers: [KerberosServer] = []
    /// Domain controllers, as servers of LDAP; those of the site first.
    package internal(set) var controllers: [ServiceRecord] = []
    package internal(set) var site: String?
    /// The first answer to the question for the site; nil if it was not asked, or nobody has answered.
    package internal(set) var description: DomainControllerDescription?
    package internal(set) var gaps: [Gap] = []

    /// The realm, by the rule of Active Directory: the name of the domain in capitals.
    package var realm: String { domain.uppercased() }
}

extension ServiceRecord {
    /// For the configuration of MIT Kerberos.
    fileprivate func server(standardPort: UInt16) -> KerberosServer? {
        try? KerberosServer(host: host, port: port == standardPort ? nil : port)
    }
}

extension [ServiceRecord] {
    /// The first of each host and port.
    fileprivate var unique: [ServiceRecord] {
        var seen: Set<String> = []
        return filter { seen.insert("\($0.host):\($0.port)").inserted }
    }
}
