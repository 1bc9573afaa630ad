import Authorization
import Directory
import Foundation
import Storage

/// A team of app developers, as its members see it.
package struct TeamRecord: Codable, Equatable, Sendable, Versioned {
    /// 10 characters; `iss` of client secrets.
    package let id: String
    package let name: String
    /// The user names of the members.
    package let members: [String]
    /// The names of its apps.
    package let apps: [String]
    /// The apps that other teams offer it.
    package let offers: [Offer]
    /// How many invitations are open.
    package let invitations: Int
    package let createdAt: Date
    package let version: String
    /// The members, for the audit trail; no part of the JSON.
    private(set) var people: [PersonID] = []

    /// An app that another team offers.
    package struct Offer: Codable, Equatable, Sendable {
        package let app: String
        package let clientID: String
        /// The name of the team that offers it.
        package let from: String
        /// When the offer ends.
        package let until: Date
    }

    private enum CodingKeys: CodingKey {
        case id, name, members, apps, offers, invitations, createdAt, version
    }

    init(_ team: Team, at now: Date, in transaction: some Transaction) throws {
        let team = try Team.find(team.id, in: transaction) ?? team  // as it is after a change
        let members = try Team.members(of: team.id, in: transaction)
        id = team.publicID
        name = team.name
        self.members = try members.compactMap { try Person.find($0, in: transaction)?.userName }
        apps = try App.list(of: team.id, in: transaction).map(\.name)
        offers = try AppOffer.list(to: team.id, at: now, in: transaction).compactMap { offer in
            guard let app = try App.find(offer.appID, in: transaction) else { return nil }
            return Offer(
                app: app.name, clientID: try App.clientIDs(of: app.id, in: transaction).first ?? "",
                from: try Team.find(app.teamID, in: transaction)?.name ?? "",
                until: offer.offeredAt.addingTimeInterval(AppOffer.lifetime))
        }
        invitations = try TeamInvitation.count(of: team.id, at: now, in: transaction)
        createdAt = team.createdAt
        version = try team.presentVersion(in: transaction)
        people = members
    }
}

extension Act {
    /// A team as it is now.
    func teamRecord(_ team: Team) throws -> TeamRecord { try TeamRecord(team, at: now, in: transaction) }
}
