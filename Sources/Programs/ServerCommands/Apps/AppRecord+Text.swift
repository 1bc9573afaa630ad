import Administration
import Authorization
import CommandOutput
import Foundation

extension AppRecord {
    var text: String {
        Table.fields(
            [
                ("Name", name),
                ("Team", "\(teamName) (\(teamID))"),
            ]
                + localizedNames.map { ("Name in \($0.language)", $0.name) }
                + Self.lines("Client ids", clients.map(\.text)) + Self.lines("Scopes", scopes)
                + (domains.isEmpty ? [] : Self.lines("Domains", domains))
                + Self.lines("Return URLs", returnURLs)
                + (signOutURLs.isEmpty ? [] : Self.lines("After signing out", signOutURLs))
                + [
                    ("Badge", iconID == nil ? "initials" : "icon"),
                    ("Notifications to", notificationURL ?? "nowhere"),
                    ("PKCE", requiresPKCE ? "always" : "where a client is public, or asks with it"),
                    (
                        "Logout tokens to",
                        backChannelLogoutURL.map { logoutNeedsSession ? "\($0) (sessions only)" : $0 }
                    ),
                    ("People confirm", asksEveryTime ? "each sign-in" : "the first sign-in"),
                    ("Connected", "\(connectedOrganizations) organizations"),
                    ("Signed in", "\(people) people"),
                    ("Offered to", offeredTo),
                    ("Registered", "\(createdAt.minuteText) UTC"),
                    ("Removed", removedAt.map { "\($0.minuteText) UTC" }),
                ])
    }

    private static func lines(_ label: String, _ values: [String]) -> [(label: String, value: String?)] {
        values.isEmpty ? [(label, "none")] : values.enumerated().map { ($0 == 0 ? label : "", $1) }
    }
}

extension ClientRecord {
    fileprivate var text: String {
        let proof =
            switch authentication {
            case .secret: "fixed secret"
            case .none: "public"
            case .key: "key of the team"
            }
        let isSpecial = signingAlgorithm != .rs256
        return "\(clientID) (\(proof)\(isSpecial ? ", \(signingAlgorithm.rawValue)" : ""))"
    }
}
