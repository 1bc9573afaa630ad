import KerberosProfile
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The headers with which operations tell an app about the person. docs/specifications/extensible-single-sign-on.md, 26.2.
///
/// Apple's extension has such headers, whose names are not published; these are Lanyard's, all in this table. Dates are those
/// of RFC 3339 in UTC, flags `true` and `false`; what is not known is left out.
struct TicketHeaders: Sendable {
    enum Name: String, CaseIterable {
        case realm = "Realm"
        case principal = "Principal"
        case userName = "UserName"
        /// The user principal name of Active Directory.
        case userPrincipalName = "UPN"
        /// The site of this computer in Active Directory.
        case site = "Site"
        /// Whether there is a ticket that is good now.
        case signedIn = "Signed-In"
        case loginDate = "Login-Date"
        case ticketIssued = "TGT-Issued"
        case ticketExpires = "TGT-Expires"
        case ticketRenewable = "TGT-Renew-Until"
        case passwordExpires = "Password-Expires"
        case passwordChanged = "Password-Changed"
        /// The home folder in the network.
        case homeDirectory = "Home-Directory"
        /// Whether it is saved on this device.
        case passwordSaved = "Password-Saved"
        case cacheName = "Cache-Name"
        /// `shared` or `private`: whether other programs of the person find the ticket.
        case cacheUse = "Cache-Use"
        /// One of ``TicketCaches/Reason``: why it is this cache.
        case cacheReason = "Cache-Reason"
        case networkAvailable = "Network-Available"
        /// Why the KDC has refused the device's keytab, which is not tried now.
        case keytabRefused = "Keytab-Refused"
        /// Whether the payload has nobody sign in yet because an app asks.
        case setupDelayed = "Setup-Delayed"
        /// Servers that were found just now, in the notation of `preferredKDCs`, the best one first, with spaces between them.
        case foundServers = "Found-Servers"
        /// The page that the browser shows now, where passwords are changed.
        case passwordPage = "Password-Page"

        var header: String { "X-SSO-Kerberos-\(rawValue)" }
    }

    /// nil if there is none that is good now.
    let ticket: Ticket?
    let caches: TicketCaches
    /// What is kept of the sign-in of the ticket's owner.
    let saved: SavedSignIn?
    /// The name of the domain; nil unless it is one of Active Directory.
    let domain: String?
    let passwordExpires: Date?
    /// What the directory says of the ticket's owner.
    let facts: DirectoryFacts?
    let site: String?
    let isNetworkAvailable: Bool?
    let refusedKeytab: RefusedKeytab?
    let isSetupDelayed: Bool
    /// The servers that were just looked for; nil if none were.
    let foundServers: [String]?

    /// Everybody in Active Directory has one of their account's name and the domain, beside one that an administrator may have
    /// given them; with the other one people sign in as `mika@school.test`.
    private func userPrincipalName(of user: String) -> String? {
        if let name = facts?.userPrincipalName { return name }
        guard let domain, !user.contains("/") else { return nil }
        return saved.flatMap { $0.userName.contains("@") ? $0.userName : nil }
            ?? "\(user)@\(domain)"
    }

    var fields: [HeaderField] {
        let user = ticket.flatMap { ticket in
            ticket.principal.lastIndex(of: "@").map { String(ticket.principal[..<$0]) }
        }
        let values: [(Name, String?)] = [
            (.realm, caches.realm),
            (.principal, ticket?.principal),
            (.userName, user ?? saved?.userName),
            (.userPrincipalName, user.flatMap(userPrincipalName)),
            (.site, site),
            (.signedIn, "\(ticket != nil)"),
            (.loginDate, saved?.signedInAt.map(Self.text)),
            (.ticketIssued, ticket.map { Self.text($0.issued) }),
            (.ticketExpires, ticket.map { Self.text($0.expires) }),
            (.ticketRenewable, ticket?.renewableUntil.map(Self.text)),
            (.passwordExpires, (passwordExpires ?? facts?.passwordExpires).map(Self.text)),
            (.passwordChanged, (saved?.passwordChangedAt ?? facts?.passwordChanged).map(Self.text)),
            (.homeDirectory, facts?.homeDirectory),
            (.passwordSaved, "\(saved?.password != nil)"),
            (.cacheName, ticket?.cache),
            (.cacheUse, caches.isShared ? "shared" : "private"),
            (.cacheReason, ticket.map { caches.reason(of: $0.cache).rawValue }),
            (.networkAvailable, isNetworkAvailable.map { "\($0)" }),
            (.keytabRefused, refusedKeytab?.reason),
            (.setupDelayed, isSetupDelayed ? "true" : nil),
            (.foundServers, foundServers?.joined(separator: " ")),
        ]
        return values.compactMap { name, value in
            value.map { HeaderField(name.header, $0) }
        }
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
