import Ground

/// A configuration file of MIT Kerberos for the realms of payloads, which stands before the system's own in `KRB5_CONFIG`.
/// docs/specifications/extensible-single-sign-on.md, 23.
package struct KerberosConfiguration: Sendable {
    package struct Realm: Sendable {
        package let settings: KerberosSettings
        /// Key distribution centers that were discovered, the best one first.
        package var discoveredKDCs: [KerberosServer]
        /// Servers for changing passwords that were discovered, the best one first.
        package var discoveredPasswordServers: [KerberosServer]
        /// Authorities for certificates of key distribution centers: files of PEM, or folders of them
        /// with a slash at the end, by their whole paths.
        package var certificateAnchors: [String]
        /// Authorities for the certificates of proxies, likewise.
        package var proxyAnchors: [String]
        /// Whether certificates of smart cards are chosen by `identityIssuerAutoSelectFilter`.
        package var choosesCards: Bool

        package init(
            _ settings: KerberosSettings, discoveredKDCs: [KerberosServer] = [],
            discoveredPasswordServers: [KerberosServer] = [], certificateAnchors: [String] = [],
            proxyAnchors: [String] = [], choosesCards: Bool = true
        ) {
            self.choosesCards = choosesCards
            self.settings = settings
            self.discoveredKDCs = discoveredKDCs
            self.discoveredPasswordServers = discoveredPasswordServers
            self.certificateAnchors = certificateAnchors
            self.proxyAnchors = proxyAnchors
        }

        /// Names of which a certificate of a key distribution center may have one. Active Directory's usually have the
        /// name of their computer alone, and no mark for Kerberos: then it must be the name of a center that the payload names,
        /// or of one below the realm's domain that was found.
        ///
        /// Nobody proves what name servers say. Whoever forges it, and has a certificate for a host of their own, must not become a
        /// center by that. A proxy is no center.
        package var certificateHosts: [String] {
            let domain = ".\(settings.realm.lowercased())"
            let named = settings.preferredKDCs.filter { $0.transport != .proxy }.map(\.host)
            let found = discoveredKDCs.filter { $0.transport != .proxy && $0.host.hasSuffix(domain) }.map(\.host)
            var seen: Set<String> = []
            return (named + found).filter { DomainName.canonical($0) == $0 && seen.insert($0).inserted }
        }
    }

    package var realms: [Realm]

    package init(_ realms: [Realm]) { self.realms = realms }

    /// The file, and what was left out of it because it could have become another setting.
    ///
    /// A realm that has no valid name is left out as a whole, and so is one that stands twice.
    package func text() -> (text: String, findings: [KerberosFinding]) {
        var writer = ConfigurationWriter()
        var seen: Set<String> = []
        let realms = realms.filter { !$0.settings.realm.isEmpty && seen.insert($0.settings.realm).inserted }
        writer.section("libdefaults")
        if let main = realms.first(where: \.settings.isDefaultRealm) {
            writer.line("default_realm", main.settings.realm)
        }
        // Names are taken as people write them: with a forged answer of a name server, a ticket could else be for another
        // host.
        writer.line("dns_canonicalize_hostname", "false")
        writer.line("rdns", "false")
        writer.line("dns_lookup_realm", "false")
        writer.line("dns_lookup_kdc", "true")
        if realms.contains(where: { $0.settings.preferredKDCs.contains { $0.transport == .tcp } }) {
            // MIT Kerberos has this for all realms at once: messages of more than one byte are first tried over TCP.
            writer.line("udp_preference_limit", "1")
        }
        // Only a ticket that may be handed on can be.
        for realm in realms where realm.settings.allowDelegation {
            writer.part(realm.settings.realm) { $0.line("forwardable", "true") }
        }
        writer.section("realms")
        for realm in realms { writer.realm(realm) }
        writer.section("domain_realm")
        var owners: Set<String> = []
        for realm in realms {
            for (name, domains) in realm.settings.domainRealmMapping.sorted(by: { $0.key < $1.key }) {
                for domain in domains where owners.insert(domain).inserted { writer.line(domain, name) }
            }
        }
        // What is written in a payload counts before what is only likely.
        for realm in realms {
            let domain = realm.settings.realm.lowercased()
            for name in [".\(domain)", domain] where owners.insert(name).inserted {
                writer.line(name, realm.settings.realm)
            }
        }
        return (writer.text, writer.findings)
    }
}

private struct ConfigurationWriter {
    private(set) var text = "# Lanyard writes this anew for each sign-in: changes are lost.\n"
    private(set) var findings: [KerberosFinding] = []
    private var indent = "    "

    mutating func section(_ name: String) { text += "\n[\(name)]\n" }

    /// - Parameter value: of letters, digits, and what hosts and URLs have.
    mutating func line(_ key: String, _ value: String) { text += "\(indent)\(key) = \(value)\n" }

    /// A part of a section, for one realm.
    mutating func part(_ realm: String, _ body: (inout ConfigurationWriter) -> Void) {
        text += "\(indent)\(realm) = {\n"
        indent += indent
        body(&self)
        indent = "    "
        text += "\(indent)}\n"
    }

    mutating func realm(_ realm: KerberosConfiguration.Realm) {
        part(realm.settings.realm) { $0.lines(of: realm) }
    }

    private mutating func lines(of realm: KerberosConfiguration.Realm) {
        let preferred = realm.settings.preferredKDCs
        servers("kdc", preferred + realm.discoveredKDCs)
        servers("kpasswd_server", preferred.map(\.forPasswords) + realm.discoveredPasswordServers)
        files("pkinit_anchors", realm.certificateAnchors)
        files("http_anchors", realm.proxyAnchors)
        let hosts = realm.certificateHosts
        for host in hosts { line("pkinit_kdc_hostname", host) }
        if !hosts.isEmpty { line("pkinit_eku_checking", "kpServerAuth") }
        if realm.choosesCards, let filter = realm.settings.identityIssuerAutoSelectFilter {
            line("pkinit_cert_match", "<ISSUER>\(Self.expression(filter))")
        }
    }

    /// The regular expression for a text in which `*` stands for any text. What could mean something else there or in the file
    /// stands for any one byte.
    private static func expression(_ filter: String) -> String {
        let plain = filter.utf8.map { byte -> String in
            switch byte {
            case UInt8(ascii: "*"): ".*"
            case _ where DomainName.isLetterOrDigit(byte): String(UnicodeScalar(byte))
            case UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "."
            }
        }
        return "^\(plain.joined())$"
    }

    private mutating func servers(_ key: String, _ servers: [KerberosServer]) {
        var seen: Set<String> = []
        for server in servers where seen.insert(server.configurationText).inserted {
            line(key, server.configurationText)
        }
    }

    private mutating func files(_ key: String, _ paths: [String]) {
        for path in paths {
            guard Self.isSafe(path) else {
                findings.append(
                    KerberosFinding(
                        severity: .error, key: key, isInData: false,
                        problem: "has “\(path.printable())”, which cannot stand in a configuration file.",
                        remedy: "Give a path from the root on, without quotes, braces, backslashes and line breaks."))
                continue
            }
            line(key, "\(path.hasSuffix("/") ? "DIR" : "FILE"):\(path)")
        }
    }

    /// Whether a path means in the file what it says: the parser ends values at line breaks, reads quotes, backslashes and
    /// braces by itself, and takes spaces away from the ends.
    private static func isSafe(_ path: String) -> Bool {
        path.hasPrefix("/") && path.inOneLine() == path && !path.hasSuffix(" ")
            && !path.utf8.contains { "\"{}\\%".utf8.contains($0) }
    }
}
