import Administration
import CommandOutput

extension TeamRecord {
    static let noTeam = "There is no team yet. Make one with `lanyard app team create NAME`."

    static let head = ["ID", "NAME", "APPS", "MEMBERS"]

    var row: [String] {
        [
            id, name, apps.isEmpty ? "–" : apps.joined(separator: ", "),
            members.isEmpty ? "–" : members.joined(separator: ", "),
        ]
    }

    var text: String {
        Table.fields([
            ("Name", name),
            ("Team id (iss)", id),
            ("Members", members.isEmpty ? "none" : members.joined(separator: ", ")),
            ("Apps", apps.isEmpty ? "none" : apps.joined(separator: ", ")),
            (
                "Offered to it",
                offers.isEmpty
                    ? nil
                    : offers.map { "\($0.app) (\($0.clientID)) of \($0.from), until \($0.until.minuteText) UTC" }
                        .joined(separator: ", ")
            ),
            ("Invitations", invitations == 0 ? nil : "\(invitations) open"),
            ("Made", "\(createdAt.minuteText) UTC"),
        ])
    }
}
