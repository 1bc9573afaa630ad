import Authorization
import Directory
import Storage

/// Lists the apps of the caller's teams; for the operator, all apps.
package struct ListApps: Inquiry {
    package static let name = "app.list"
    package static let summary = "Lists the apps of your teams; for the operator, all apps."
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.get, "apps", below: .server)
    package static let explanations = [
        "team": "Only those of this team: its id, or its exact name.",
        "removed": "Those that were removed, instead of the others.",
    ]

    package struct Answer: Codable, Sendable {
        package let apps: [AppRecord]
    }

    package let team: TeamReference?
    package let removed: Bool?

    package init(team: TeamReference? = nil, removed: Bool? = nil) {
        self.team = team
        self.removed = removed
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> TeamListing {
        try TeamListing(team, for: Self.privilege, in: context, transaction)
    }

    package func answer(
        about listing: TeamListing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let teams = Set(listing.teams.map(\.id))
        let apps = try removed == true ? App.listRemoved(in: transaction) : App.list(in: transaction)
        // The operator also sees the apps of teams that were removed, which are not among the teams of the listing.
        return Answer(
            apps: try apps.filter { teams.contains($0.teamID) || team == nil && context.authority.isOperator }
                .map { try AppRecord($0, at: context.now, in: transaction) })
    }
}

/// Shows an app.
package struct ShowApp: Inquiry {
    package typealias Answer = AppRecord

    package static let name = "app.show"
    package static let summary = "Shows an app: what is registered for it, and how many use it."
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.get, "apps/{app}", below: .server)
    package static let explanations = ["app": AppReference.explanation]

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> App {
        try app.findDeveloped(for: Self.privilege, in: context, transaction)
    }

    package func answer(
        about app: App, in context: OperationContext, _ transaction: some Transaction
    ) throws -> AppRecord { try AppRecord(app, at: context.now, in: transaction) }
}
