import CKerberos
import KerberosProfile

#if canImport(Glibc)
    import Glibc
#endif

/// Where tickets of a realm are kept. docs/specifications/extensible-single-sign-on.md, 25.
struct TicketCaches: Hashable, Codable, Sendable {
    let realm: String
    /// In the order in which they are tried: the first that takes a ticket gets it.
    let places: [Place]
    /// Whether other programs of the user may find the ticket, and tickets that these have got are used.
    let isShared: Bool
    /// Whether the ticket becomes the one that programs take if they ask for none.
    let isMain: Bool

    /// A cache, and why it is one that may get a ticket.
    struct Place: Hashable, Codable, Sendable {
        /// As MIT Kerberos has it, such as `KCM:1000:sso-CORP.ACME.TEST`.
        let name: String
        let reason: Reason
    }

    /// Apps are told these words: docs/specifications/extensible-single-sign-on.md, 26.2.
    enum Reason: String, Codable, Sendable {
        /// The payload limits who may use the ticket.
        case limited
        /// The payload names the cache.
        case profile
        /// `KRB5CCNAME` names it.
        case environment
        /// The machine's configuration of Kerberos names it.
        case configuration
        /// SSSD's keeper of tickets is there.
        case keeper
        /// The kernel keeps it.
        case keyring
        /// A folder that ends with the person's session.
        case session
        /// Nothing else takes tickets.
        case remaining
        /// Another program has put the ticket there.
        case other
    }

    /// Names as MIT Kerberos has them.
    var names: [String] { places.map(\.name) }

    func reason(of name: String) -> Reason { places.first { $0.name == name }?.reason ?? .other }

    /// What the machine has.
    struct Machine: Sendable {
        var user: uid_t
        /// `XDG_RUNTIME_DIR`, which is in memory and ends with the person's session; nil if there is none.
        var runtimeFolder: String?
        /// The extension's own folder.
        var ownFolder: String
        var hasKCM: Bool
        /// `KRB5CCNAME`: what the person's programs were told.
        var named: String?
        /// What programs take that were told nothing.
        var standard: String?
    }

    /// - Parameter settings: a cache is private if the payload names the callers that may use the ticket and Kerberos's own
    ///   programs are not among them, for whoever can read a cache can use the ticket.
    init(_ settings: KerberosSettings, on machine: Machine) {
        realm = settings.realm
        isMain = settings.isDefaultRealm
        let isLimited = settings.credentialBundleIdACL != nil || settings.includeManagedAppsInBundleIdACL
        isShared = !isLimited || settings.includeKerberosAppsInBundleIdACL
        let name = "sso-\(settings.realm)"
        let privateFolder = machine.runtimeFolder.map { "\($0)/lanyard/kerberos" } ?? machine.ownFolder
        let own = "FILE:\(privateFolder)/\(name).tickets"
        guard isShared else {
            places = [Place(name: own, reason: .limited)]
            return
        }
        var places: [Place] = []
        func add(_ name: String?, _ reason: Reason) {
            guard let name, !places.contains(where: { $0.name == name }) else { return }
            places.append(Place(name: name, reason: reason))
        }
        if let chosen = settings.cacheName, let type = chosen.split(separator: ":").first,
            chosen.contains(":"), Self.types.contains(String(type))
        {
            add(chosen, .profile)
        }
        if let named = machine.named { add(Self.place(named, name) ?? named, .environment) }
        if let standard = machine.standard { add(Self.place(standard, name), .configuration) }
        if machine.hasKCM { add("KCM:\(machine.user):\(name)", .keeper) }
        add("KEYRING:persistent:\(machine.user):\(name)", .keyring)
        if let folder = machine.runtimeFolder { add("DIR::\(folder)/krb5cc/tkt\(name)", .session) }
        add(own, .remaining)
        self.places = places
    }

    /// - Returns: what programs are told to find a cache among others; the cache itself if it is alone.
    static func collection(_ cache: String) -> String {
        let parts = cache.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "KCM": return "KCM:"
        case "KEYRING" where parts.count == 4: return parts.prefix(3).joined(separator: ":")
        case "DIR" where cache.hasPrefix("DIR::"):
            let path = cache.dropFirst(5)
            return path.lastIndex(of: "/").map { "DIR:\(path[..<$0])" } ?? cache
        default: return cache
        }
    }

    private static let types: Set<String> = ["FILE", "DIR", "KCM", "KEYRING"]

    /// The name of a cache beside others.
    /// - Returns: nil if `collection` is a cache for one person alone.
    private static func place(_ collection: String, _ name: String) -> String? {
        let parts = collection.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "KCM" where parts.count < 3:
            return parts.count > 1 && !parts[1].isEmpty ? "KCM:\(parts[1]):\(name)" : "KCM:\(getuid()):\(name)"
        case "KEYRING" where parts.count == 3: return "\(collection):\(name)"
        case "DIR" where parts.count == 2: return "DIR::\(parts[1])/tkt\(name)"
        default: return nil
        }
    }
}

extension TicketCaches.Machine {
    static func current(ownFolder: String) -> Self {
        func environment(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let context = try? KerberosContext()
        let standard = context.flatMap { krb5_cc_default_name($0.raw) }.map { String(cString: $0) }
        return Self(
            user: getuid(), runtimeFolder: environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil },
            ownFolder: ownFolder,
            hasKCM: access(context?.setting("libdefaults", "kcm_socket") ?? KeeperSocket.standard, W_OK) == 0,
            named: environment("KRB5CCNAME"), standard: standard)
    }
}
