import Authorization
import Directory
import Foundation
import RosterFiles
import Storage

/// What administrators see of an organization.
package struct OrganizationRecord: Codable, Equatable, Sendable, Versioned {
    /// A UUID, `org_id` on the wire.
    package let id: String
    package let name: String
    package let kind: Organization.Kind
    /// Nil if the colour is chosen by the id.
    package let colour: Organization.Colour?
    /// The picture on its badge is at `/pictures/ID.png`; nil for initials.
    package let pictureID: String?
    package let isTestSchool: Bool
    /// Whether a team of app developers has made it to try its apps.
    package let isSandbox: Bool
    package let userNameFormat: String
    package let domains: [DomainRecord]
    package let locations: Int
    /// How many people apps can see.
    package let people: Int
    package let classes: Int
    /// How many Administrators can sign in with a password, be it a temporary one.
    package let administrators: Int
    package let signInMode: AccessRule.Mode
    /// Whether people confirm each sign-in to an app.
    package let asksEveryTime: Bool
    package let accessMode: AccessRule.Mode
    package let connectedApps: Int
    package let importThresholds: ImportThresholds
    /// The domain that apps see of locations without one of their own.
    package let locationDomain: String?
    /// The time zone that apps see of locations without one of their own.
    package let locationTimeZone: String?
    /// Who has to have a second factor.
    package let factorHolders: [FactorRule.Holder]
    /// How many days they have to set one up.
    package let factorGraceDays: Int
    /// After how many hours a browser has to sign in anew; nil for the server's time.
    package let sessionHours: Int?
    /// After how many minutes without use a browser is signed out; nil for the server's time.
    package let idleMinutes: Int?
    /// The language of letters and slips for people who have chosen none; nil for English.
    package let language: String?
    /// Where the terms are that its people agree to.
    package let termsURL: String?
    package let createdAt: Date
    /// Since when nobody of it can sign in; nil unless it has ended.
    package let closedAt: Date?
    /// The day from which on all of a closed organization is erased.
    package let erasesOn: CalendarDay?
    /// When nothing was left of it but what has to stay.
    package let erasedAt: Date?
    package let version: String

    init(_ organization: Organization, at now: Date, in transaction: some Transaction) throws {
        let settings = try OrganizationSettings(organization, in: transaction)
        let organization = settings.organization
        id = organization.publicID
        name = organization.name
        kind = organization.kind
        colour = organization.colour
        pictureID = organization.pictureID
        isTestSchool = organization.isSynthetic
        isSandbox = organization.isSandbox
        userNameFormat = organization.userNameFormatText
        domains = try Domain.list(of: organization.id, in: transaction).map { DomainRecord($0) }
        locations = try Location.count(of: organization.id, in: transaction)
        people = try Person.count(of: organization.id, in: transaction)
        classes = try RosterClass.count(of: organization.id, in: transaction)
        administrators = try organization.administratorsWithPassword(at: now, in: transaction)
        accessMode = try AccessRule.find(.dataSharing, of: organization.id, in: transaction).mode
        signInMode = try AccessRule.find(.signIn, of: organization.id, in: transaction).mode
        asksEveryTime = organization.asksEveryTime
        connectedApps = try Consent.list(of: organization.id, in: transaction).count { $0.revokedAt == nil }
        importThresholds = settings.thresholds
        locationDomain = settings.locations.domainName
        locationTimeZone = settings.locations.timeZone
        factorHolders = settings.factors.holders.sorted()
        factorGraceDays = settings.factors.graceDays
        sessionHours = organization.rules.sessionHours
        idleMinutes = organization.rules.idleMinutes
        language = organization.rules.language
        termsURL = organization.rules.termsURL
        createdAt = organization.createdAt
        closedAt = organization.closing?.closedAt
        erasesOn = organization.closing?.erasesOn
        erasedAt = organization.closing?.erasedAt
        version = settings.version
    }
}
