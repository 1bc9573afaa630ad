import Authorization
import CommandOutput
import Foundation
import Storage

/// The output of commands about an app.
struct AppReport: Encodable, Sendable {
    struct ClientReport: Encodable, Sendable {
        let clientID: String
        /// `key`, `secret` or `none`: the only way in which the client can authenticate in the standard profile.
        let authentication: String
        /// The algorithm of its identity tokens in the standard profile.
        let signingAlgorithm: String

        init(_ client: Client) {
            clientID = client.clientID
            authentication = client.authentication.rawValue
            signingAlgorithm = client.signingAlgorithm.rawValue
        }
    }

    let name: String
    /// The primary one is first.
    let clientIDs: [String]
    let clients: [ClientReport]
    let teamID: String
    let teamName: String
    let scopes: [String]
    let returnURLs: [String]
    let signOutURLs: [String]
    let notificationURL: String?
    /// Whether each authorization request needs a `code_challenge`.
    let requiresPKCE: Bool
    let backChannelLogoutURL: String?
    let logoutNeedsSession: Bool
    let asksEveryTime: Bool
    /// How many organizations let it read their data now.
    let connectedOrganizations: Int
    /// How many people have agreed to sign in to it.
    let people: Int
    let createdAt: Date
    let removedAt: Date?

    init(_ app: App, in transaction: some Transaction) throws {
        let app = try App.find(app.id, in: transaction) ?? app  // current state after a change
        let team = try Team.find(app.teamID, in: transaction)
        name = app.name
        clientIDs = try App.clientIDs(of: app.id, in: transaction)
        clients = try Client.list(of: app.id, in: transaction).map(ClientReport.init)
        teamID = team?.publicID ?? ""
        teamName = team?.name ?? ""
        scopes = app.scopes.words
        returnURLs = try App.returnURLs(of: app.id, in: transaction)
        signOutURLs = try App.signOutURLs(of: app.id, in: transaction)
        people = try SignInConsent.count(livingOf: app.id, in: transaction)
        notificationURL = app.notificationURL
        requiresPKCE = app.requiresProofKey
        backChannelLogoutURL = app.backChannelLogoutURL
        logoutNeedsSession = app.logoutNeedsSession
        asksEveryTime = app.asksEveryTime
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
                + Self.lines("Client ids", clients.map(\.text)) + Self.lines("Scopes", scopes)
                + Self.lines("Return URLs", returnURLs)
                + (signOutURLs.isEmpty ? [] : Self.lines("After signing out", signOutURLs))
                + [
                    ("Notifications to", notificationURL ?? "nowhere"),
                    ("PKCE", requiresPKCE ? "always" : "where a client is public, or asks with it"),
                    (
                        "Logout tokens to",
                        backChannelLogoutURL.map { logoutNeedsSession ? "\($0) (sessions only)" : $0 }
                    ),
                    ("People confirm", asksEveryTime ? "each sign-in" : "the first sign-in"),
                    ("Connected", "\(connectedOrganizations) organizations"),
                    ("Signed in", "\(people) people"),
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

extension AppReport.ClientReport {
    fileprivate var text: String {
        let proof =
            switch authentication {
            case "secret": "fixed secret"
            case "none": "public"
            default: "key of the team"
            }
        let isSpecial = signingAlgorithm != SigningAlgorithm.rs256.rawValue
        return "\(clientID) (\(proof)\(isSpecial ? ", \(signingAlgorithm)" : ""))"
    }
}
