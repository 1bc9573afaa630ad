import Authorization
import CommandOutput
import Directory
import Foundation
import RosterFiles
import Storage

/// The output of commands about an organization.
struct OrganizationReport: Encodable, Sendable {
    let id: String
    let name: String
    let kind: Organization.Kind
    /// nil if the colour is chosen by the id.
    let colour: Organization.Colour?
    let isTestSchool: Bool
    let userNameFormat: String
    let domains: [DomainReport]
    let locations: Int
    /// How many people apps can see.
    let people: Int
    let classes: Int
    /// How many administrators can sign in with a password that they chose.
    let administrators: Int
    let signInMode: AccessRule.Mode
    let asksEveryTime: Bool
    let accessMode: AccessRule.Mode
    let connectedApps: Int
    let importThresholds: ImportThresholds
    /// The defaults that apps see for locations without their own domain or time zone.
    let locationDomain: String?
    let locationTimeZone: String?
    let createdAt: Date

    init(_ organization: Organization, in transaction: some Transaction) throws {
        id = organization.publicID
        name = organization.name
        kind = organization.kind
        colour = organization.colour
        isTestSchool = organization.isSynthetic
        userNameFormat = organization.userNameFormatText
        domains = try Domain.list(of: organization.id, in: transaction).map { DomainReport($0) }
        locations = try Location.count(of: organization.id, in: transaction)
        people = try Person.count(of: organization.id, in: transaction)
        classes = try RosterClass.count(of: organization.id, in: transaction)
        administrators = try organization.administratorsWithPassword(in: transaction)
        accessMode = try AccessRule.find(.dataSharing, of: organization.id, in: transaction).mode
        signInMode = try AccessRule.find(.signIn, of: organization.id, in: transaction).mode
        asksEveryTime = organization.asksEveryTime
        connectedApps = try Consent.list(of: organization.id, in: transaction).count { $0.revokedAt == nil }
        importThresholds = try ImportThresholds.find(for: organization.id, in: transaction)
        let defaults = try LocationDefaults.find(of: organization.id, in: transaction)
        locationDomain = defaults.domainName
        locationTimeZone = defaults.timeZone
        createdAt = organization.createdAt
    }

    /// nil if there are none.
    private var locationDefaults: String? {
        let defaults = [locationDomain, locationTimeZone].compactMap { $0 }
        return defaults.isEmpty ? nil : "\(defaults.joined(separator: ", ")) unless they have their own"
    }

    var text: String {
        Table.fields([
            ("Name", name),
            ("Id", id),
            ("Kind", isTestSchool ? "school, made up, for the test scope" : kind.rawValue),
            ("Colour", colour?.rawValue ?? "of its id"),
            ("User names", userNameFormat),
            ("Domains", domains.isEmpty ? "none" : domains.map(\.text).joined(separator: ", ")),
            ("Locations", "\(locations)"),
            ("People", "\(people)"),
            ("Classes", "\(classes)"),
            ("Administrators", "\(administrators) can sign in"),
            ("Signing in", signInMode.words(for: true)),
            ("People confirm", asksEveryTime ? "each sign-in" : "the first sign-in to an app"),
            ("Data sharing", accessMode.words(for: false)),
            ("Connected apps", "\(connectedApps)"),
            (
                "Imports wait",
                """
                if they remove over \(importThresholds.removedPercent) % or change over \
                \(importThresholds.changedPercent) %, give over \(importThresholds.replacedMax) ids to other people or \
                rename over \(importThresholds.renamedPercent) %
                """
            ),
            ("Locations have", locationDefaults),
            ("Made", "\(createdAt.minuteText) UTC"),
        ])
    }
}

struct DomainReport: Encodable, Sendable {
    let name: String
    let verifiedAt: Date?

    /// How many personal accounts have an address of the domain; nil if this was not requested.
    let personalAccounts: Int?

    init(_ domain: Domain, personalAccounts: Int? = nil) {
        self.personalAccounts = personalAccounts
        name = domain.name
        verifiedAt = domain.verifiedAt
    }

    var text: String { verifiedAt == nil ? "\(name) (not verified)" : name }
}
