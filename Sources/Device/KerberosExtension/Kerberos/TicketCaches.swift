import CKerberos
import KerberosProfile

#if canImport(Glibc)
    import Glibc
#endif

/// Where tickets of a realm are kept. docs/specifications/extensible-single-sign-on.md, 25.
struct TicketCaches: Hashable, Sendable {
    let realm: String
    /// Names as MIT Kerberos has them, such as `KCM:1000:sso-CORP.ACME.TEST`. The first that takes a ticket gets it.
    let names: [String]
    /// Whether other programs of the user may find the ticket, and tickets that these have got are used.
    let isShared: Bool
    /// Whether the ticket becomes the one that programs take if they ask for none.
    let isMain: Bool

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
            names = [own]
            return
        }
        var names: [String] = []
        if let chosen = settings.cacheName, let type = chosen.split(separator: ":").first,
            chosen.contains(":"), Self.types.contains(String(type))
        {
            names.append(chosen)
        }
        if let named = machine.named { names.append(Self.place(named, name) ?? named) }
        if let standard = machine.standard, let place = Self.place(standard, name) { names.append(place) }
        if machine.hasKCM { names.append("KCM:\(machine.user):\(name)") }
        names.append("KEYRING:persistent:\(machine.user):\(name)")
        if let folder = machine.runtimeFolder { names.append("DIR::\(folder)/krb5cc/tkt\(name)") }
        names.append(own)
        var seen: Set<String> = []
        self.names = names.filter { seen.insert($0).inserted }
    }

    private static let types: Set<String> = ["FILE", "DIR", "KCM", "KEYRING"]

    /// The name of a cache beside others.
    /// - Returns: nil if `collection` is a cache for one person alone.
    private static func place(_ collection: String, _ name: String) -> String? {
        let parts = collection.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "KCM": return parts.count > 1 && !parts[1].isEmpty ? "KCM:\(parts[1]):\(name)" : "KCM:\(getuid()):\(name)"
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
            ownFolder: ownFolder, hasKCM: access("/var/run/.heim_org.h5l.kcm-socket", W_OK) == 0,
            named: environment("KRB5CCNAME"), standard: standard)
    }
}
