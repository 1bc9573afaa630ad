import Authorization
import Directory
import Foundation
import Storage

/// An app, as the members of its team see it.
package struct AppRecord: Codable, Equatable, Sendable, Versioned {
    package let name: String
    /// The names that people see in place of ``name`` where they read in another language; sorted by language.
    package let localizedNames: [LocalizedName]
    /// The icon on its badge is at `/pictures/ID.png`; nil for initials.
    package let iconID: String?
    /// The primary one is first.
    package let clientIDs: [String]
    package let clients: [ClientRecord]
    package let teamID: String
    package let teamName: String
    package let scopes: [String]
    /// The hosts of its web pages; empty if they are those of the return URLs.
    package let domains: [String]
    package let returnURLs: [String]
    package let signOutURLs: [String]
    package let notificationURL: String?
    /// Whether each authorization request needs a `code_challenge`.
    package let requiresPKCE: Bool
    package let backChannelLogoutURL: String?
    package let logoutNeedsSession: Bool
    package let asksEveryTime: Bool
    /// How many organizations let it read their data now.
    package let connectedOrganizations: Int
    /// How many people have agreed to sign in to it; of more than 2 000 the number of the last count, which is up to an hour old.
    package let people: Int
    /// The team to which it is offered; nil if it is not.
    package let offeredTo: String?
    package let createdAt: Date
    package let removedAt: Date?
    package let version: String

    init(_ app: App, at now: Date, in transaction: some Transaction) throws {
        let app = try app.anew(in: transaction)
        let team = try Team.find(app.teamID, in: transaction)
        name = app.name
        localizedNames = app.localizedNames.map(LocalizedName.init).sorted { $0.language < $1.language }
        iconID = app.iconID
        clientIDs = try App.clientIDs(of: app.id, in: transaction)
        clients = try Client.list(of: app.id, in: transaction).map { ClientRecord($0) }
        teamID = team?.publicID ?? ""
        teamName = team?.name ?? ""
        scopes = app.scopes.scopes.map(\.rawValue).sorted()
        domains = try App.domains(of: app.id, in: transaction)
        returnURLs = try App.returnURLs(of: app.id, in: transaction)
        signOutURLs = try App.signOutURLs(of: app.id, in: transaction)
        notificationURL = app.notificationURL
        requiresPKCE = app.requiresProofKey
        backChannelLogoutURL = app.backChannelLogoutURL
        logoutNeedsSession = app.logoutNeedsSession
        asksEveryTime = app.asksEveryTime
        connectedOrganizations = try Consent.list(livingOf: app.id, in: transaction).count
        people = try CountedSignIns.count(of: app.id, transaction)
        offeredTo = try AppOffer.find(app.id, at: now, in: transaction).flatMap {
            try Team.find($0.to, in: transaction)
        }?
        .name
        createdAt = app.createdAt
        removedAt = app.removedAt
        version = try app.presentVersion(in: transaction)
    }
}

/// What an app is called in a language.
package struct LocalizedName: Codable, Equatable, Sendable {
    /// The tag of a language in which there are pages, such as `ja`.
    package let language: String
    package let name: String

    /// The languages of pages, see `ServerPages/Language`. A test compares both.
    package static let languages = ["en", "ja", "ko"]

    package init(language: String, name: String) {
        self.language = language
        self.name = name
    }
}

/// A client id of an app.
package struct ClientRecord: Codable, Equatable, Sendable {
    package let clientID: String
    /// The only way in which the client can authenticate in the standard profile.
    package let authentication: Client.Authentication
    /// The algorithm of its identity tokens in the standard profile.
    package let signingAlgorithm: SigningAlgorithm

    init(_ client: Client) {
        clientID = client.clientID
        authentication = client.authentication
        signingAlgorithm = client.signingAlgorithm
    }
}

extension Act {
    /// An app as it is now.
    func appRecord(_ app: App) throws -> AppRecord { try AppRecord(app, at: now, in: transaction) }
}
