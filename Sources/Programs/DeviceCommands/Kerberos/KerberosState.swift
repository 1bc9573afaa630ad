import CommandOutput
import KerberosProfile
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the extension tells of a realm: docs/specifications/extensible-single-sign-on.md, 26.2. What it does not tell is nil.
struct KerberosState: Encodable, Equatable {
    let realm: String
    /// The identifier of the profile.
    let profile: String
    /// Whether there is a ticket that is good now.
    let signedIn: Bool
    let principal: String?
    /// Without the realm. Also of somebody who has signed in before.
    let userName: String?
    /// The user principal name of Active Directory, such as `mika@school.test`.
    let userPrincipalName: String?
    /// When somebody last typed their password. Only people are shown it: once the ticket has ended, it is nobody's sign-in.
    let typedAt: Date?
    /// When whoever is signed in now typed their password, or the ticket began that they got without one; nil if nobody is.
    let loginDate: Date?
    let ticketFrom: Date?
    let ticketUntil: Date?
    let renewableUntil: Date?
    let passwordExpires: Date?
    let passwordChanged: Date?
    let passwordSaved: Bool?
    /// The home folder in the network, as Active Directory has it.
    let homeDirectory: String?
    let cache: String?
    /// `shared` or `private`.
    let cacheUse: String?
    /// A word, such as `keyring`; see ``reasons``.
    let cacheReason: String?
    /// The servers that the profile names, in the notation of `preferredKDCs`.
    let servers: [String]
    let site: String?
    /// Whether a server of the realm answers; nil if none was asked.
    let networkAvailable: Bool?
    /// Why the keytab of this device was refused, in the words of the library of Kerberos; nil if it was not.
    let keytabRefused: String?
    /// Whether apps have nobody sign in yet, because the profile puts that off; nil if it does not, or it was begun.
    let setupDelayed: Bool?

    /// Four names are those of Apple's `app-sso --realminfo`, as administrators' scripts read them; so is `networkAvailable`.
    enum CodingKeys: String, CodingKey {
        case realm, profile, signedIn, principal
        case userName = "user_name"
        case userPrincipalName = "upn"
        case loginDate = "login_date"
        case ticketFrom, ticketUntil, renewableUntil
        case passwordExpires = "password_expires_date"
        case passwordChanged, passwordSaved, homeDirectory, cache, cacheUse, cacheReason, servers, site,
            networkAvailable
        case keytabRefused, setupDelayed
    }

    init(of realm: KerberosRealm, headers: [HeaderField]) {
        self.init(
            realm: realm.name, profile: realm.profile, servers: realm.settings.preferredKDCs.map(\.description),
            headers: headers)
    }

    init(realm: String, profile: String, servers: [String], headers: [HeaderField]) {
        func text(_ name: String) -> String? { headers.values(of: "X-SSO-Kerberos-\(name)").first }
        func date(_ name: String) -> Date? { text(name).flatMap { try? Date($0, strategy: .iso8601) } }
        func flag(_ name: String) -> Bool? { text(name).map { $0 == "true" } }
        self.realm = realm
        self.profile = profile
        self.servers = servers
        signedIn = flag("Signed-In") ?? false
        principal = text("Principal")
        userName = text("UserName")
        userPrincipalName = text("UPN")
        typedAt = date("Login-Date")
        ticketFrom = date("TGT-Issued")
        loginDate = signedIn ? typedAt ?? ticketFrom : nil
        ticketUntil = date("TGT-Expires")
        renewableUntil = date("TGT-Renew-Until")
        passwordExpires = date("Password-Expires")
        passwordChanged = date("Password-Changed")
        passwordSaved = flag("Password-Saved")
        homeDirectory = text("Home-Directory")
        cache = text("Cache-Name")
        cacheUse = text("Cache-Use")
        cacheReason = text("Cache-Reason")
        site = text("Site")
        networkAvailable = flag("Network-Available")
        keytabRefused = text("Keytab-Refused")
        setupDelayed = flag("Setup-Delayed")
    }

    /// Why the ticket is in that cache, by the extension's words.
    static let reasons = [
        "limited": "the profile limits who may use the ticket", "profile": "the profile names it",
        "environment": "KRB5CCNAME names it", "configuration": "the machine's krb5.conf names it",
        "keeper": "SSSD keeps tickets here", "keyring": "the kernel keeps tickets here",
        "session": "it ends with the session", "remaining": "nothing else takes tickets",
        "other": "another program has put it there",
    ]

    var text: String {
        let ticket = ticketUntil.map { until in
            [
                ticketFrom.map { "from \($0.minuteText)" }, "until \(until.minuteText)",
                renewableUntil.map { "renewable until \($0.minuteText)" },
            ].compactMap(\.self).joined(separator: ", ")
        }
        let why = [cacheUse, cacheReason.flatMap { Self.reasons[$0] }].compactMap(\.self).joined(separator: "; ")
        let password = [
            passwordSaved.map { $0 ? "saved on this device" : "not saved" },
            passwordExpires.map { "expires \($0.minuteText)" }, passwordChanged.map { "changed \($0.minuteText)" },
        ].compactMap(\.self).joined(separator: ", ")
        let who =
            signedIn
            ? principal ?? "yes" : "nobody" + (userName.map { "; \($0) was before" } ?? "")
        return Table.fields([
            ("realm", realm), ("profile", profile), ("signed in", who), ("known as", userPrincipalName),
            ("ticket", ticket), ("last typed", typedAt?.minuteText), ("password", password.isEmpty ? nil : password),
            ("home", homeDirectory), ("cache", cache.map { why.isEmpty ? $0 : "\($0) (\(why))" }), ("site", site),
            ("servers", servers.isEmpty ? nil : servers.joined(separator: " ")),
            (
                "set-up",
                setupDelayed == true
                    ? "put off by the profile: apps have nobody sign in before a server asks for a ticket, or `kerberos proceed`"
                    : nil
            ),
            ("network", networkAvailable.map { $0 ? "a server answers" : "no server answers" }),
            (
                "keytab",
                keytabRefused.map {
                    "refused and not tried now: \($0). Mend that or replace the keytab; sign out to have it tried at once"
                }
            ),
        ])
    }
}
