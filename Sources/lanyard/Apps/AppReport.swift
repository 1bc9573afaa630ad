import Authorization
import Foundation
import Storage

/// What commands print of an app.
struct AppReport: Encodable, Sendable {
    let name: String
    /// The primary one first.
    let clientIDs: [String]
    let teamID: String
    let teamName: String
    let scopes: [String]
    let returnURLs: [String]
    let notificationURL: String?
    /// How many organizations let it read now.
    let connectedOrganizations: Int
    let createdAt: Date
    let removedAt: Date?

    init(_ app: App, in transaction: some Transaction) throws {
        let app = try App.find(app.id, in: transaction) ?? app  // as it stands after a change
        let team = try Team.find(app.teamID, in: transaction)
        name = app.name
        clientIDs = try App.clientIDs(of: app.id, in: transaction)
        teamID = team?.publicID ?? ""
        teamName = team?.name ?? ""
        scopes = app.scopes.words
        returnURLs = try App.returnURLs(of: app.id, in: transaction)
        notificationURL = app.notificationURL
        connectedOrganizations = try Consent.list(livingOf: app.id, in: transaction).count
        createdAt = app.createdAt
        removedAt = app.removedAt
    }

    var text: String {
        Table.fields(
            [
                ("Name", name),
                ("Team", "\(teamName) (\(teamID))"),
            ]
                + Self.lines("Client ids", clientIDs) + Self.lines("Scopes", scopes)
                + Self.lines("Return URLs", returnURLs)
                + [
                    ("Notifications to", notificationURL ?? "nowhere"),
                    ("Connected", "\(connectedOrganizations) organizations"),
                    ("Registered", "\(createdAt.minuteText) UTC"),
                    ("Removed", removedAt.map { "\($0.minuteText) UTC" }),
                ])
    }

    private static func lines(_ label: String, _ values: [String]) -> [(label: String, value: String?)] {
        values.isEmpty ? [(label, "none")] : values.enumerated().map { ($0 == 0 ? label : "", $1) }
    }
}

extension ScopeSet {
    var words: [String] { text.split(separator: " ").map(String.init) }
}
