import CommandOutput
import Ground
import KerberosDomain
import KerberosProfile
import SingleSignOn
import SingleSignOnWire

/// What was found of a domain, for people and for a profile. docs/specifications/extensible-single-sign-on.md, 24.
struct DomainSurvey {
    private let found: DiscoveredDomain

    /// - Parameter servers: name servers to ask; nil for those of the system.
    /// - Throws: ``Failure`` if the domain has no servers for Kerberos.
    init(_ domain: String, servers: String?) async throws {
        found = await DomainDiscovery(servers: servers).find(domain)
        guard found.keyDistributionCenters.isEmpty else { return }
        throw Failure(Self.reason(found, as: domain))
    }

    private static func reason(_ found: DiscoveredDomain, as text: String) -> String {
        for gap in found.gaps {
            switch gap {
            case .noDomainName:
                return "“\(text.printable())” is no name of a domain. Write one such as corp.acme.test."
            case .noNameServer(let reason):
                return """
                    No name server has answered for \(found.domain): \(reason). Look whether this computer is in the \
                    organization's network, or name one of its name servers with --name-server.
                    """
            default: continue
            }
        }
        return """
            The domain \(found.domain) has no servers for Kerberos: its name servers have no SRV records at \
            _kerberos._tcp.\(found.domain) and _kerberos._udp.\(found.domain). Look at the spelling, and whether this computer \
            asks the organization's own name servers; --name-server names one. Without such records, say the realm and its \
            servers yourself: --realm, --host, --data preferredKDCs=…
            """
    }

    /// Adds what the domain says, and keeps what is there.
    func complete(_ description: inout ProfileDescription) {
        let domain = found.domain
        if description.identifier.isEmpty {
            description.identifier = domain.split(separator: ".").reversed().joined(separator: ".") + ".kerberos"
        }
        if description.displayName == nil { description.displayName = "Kerberos for \(domain)" }
        if description.realm == nil { description.realm = found.realm }
        // A suffix does not match the domain itself.
        if description.hosts.isEmpty { description.hosts = [".\(domain)", domain] }
        if !isActiveDirectory, description.extensionData["performKerberosOnly"] == nil {
            description.extensionData["performKerberosOnly"] = .boolean(true)
        }
    }

    private var isActiveDirectory: Bool { !found.controllers.isEmpty }

    /// What was found, and what is missing with the reason.
    var text: String {
        var rows = [["Realm", "\(found.realm), the domain's name in capitals"]]
        rows.append(["Kerberos", Self.list(found.keyDistributionCenters.map(\.description))])
        if !found.passwordServers.isEmpty {
            rows.append(["Passwords", Self.list(found.passwordServers.map(\.description))])
        }
        if isActiveDirectory { rows.append(["Controllers", Self.list(found.controllers.map(\.host))]) }
        if let description = found.description { rows.append(["Forest", description.forest]) }
        if let site = found.site { rows.append(["Site", "\(site), of this computer; each looks for its own"]) }
        let width = rows.map { $0[0].count }.max() ?? 0
        let lines = rows.map { "  " + $0[0] + String(repeating: " ", count: width + 2 - $0[0].count) + $0[1] }
        let missing = found.gaps.map { "  \(Self.sentence($0))" }
        return (["Found of \(found.domain):"] + lines + (missing.isEmpty ? [] : ["Missing:"] + missing))
            .joined(separator: "\n")
    }

    private static func list(_ texts: [String]) -> String {
        let shown = texts.prefix(5).joined(separator: ", ")
        return texts.count > 5 ? "\(shown) and \(texts.count - 5) more" : shown
    }

    private static func sentence(_ gap: DiscoveredDomain.Gap) -> String {
        switch gap {
        case .noDomainName: "The name is none of a domain."
        case .noNameServer(let reason): "Some questions were not answered by any name server: \(reason)."
        case .noCenter: "There are no SRV records for Kerberos."
        case .noController:
            "There are no domain controllers, so this is no Active Directory: performKerberosOnly is true, and nobody is told when their password expires unless the KDC says it."
        case .noAnswerOfControllers:
            "The site: no domain controller has answered over UDP, port 389, which a firewall may hold back. Sign-ins go to any controller then."
        case .noSite:
            "The site: the domain has none for this computer's address. An administrator adds its subnet to one."
        case .noCenterOfSite(let site):
            "The servers of the site \(site): it has no SRV records for Kerberos, so those of all sites are taken."
        }
    }
}
