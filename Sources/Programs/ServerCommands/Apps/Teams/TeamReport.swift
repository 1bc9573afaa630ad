import Authorization
import Directory
import Foundation
import Storage

/// The output of commands about a team.
struct TeamReport: Encodable, Sendable {
    let id: String
    let name: String
    /// User names of the people who may use the test scope.
    let members: [String]
    let apps: [String]
    let createdAt: Date

    init(_ team: Team, in transaction: some Transaction) throws {
        id = team.publicID
        name = team.name
        members = try Team.members(of: team.id, in: transaction)
            .compactMap { try Person.find($0, in: transaction)?.userName }
        apps = try App.list(in: transaction).filter { $0.teamID == team.id }.map(\.name)
        createdAt = team.createdAt
    }

    static let head = ["ID", "NAME", "APPS", "MEMBERS"]

    var row: [String] {
        [
            id, name, apps.isEmpty ? "–" : apps.joined(separator: ", "),
            members.isEmpty ? "–" : members.joined(separator: ", "),
        ]
    }
}
