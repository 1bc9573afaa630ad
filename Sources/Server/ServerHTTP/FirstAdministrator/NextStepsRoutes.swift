import Authorization
import ConsolePages
import Directory
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account/next-steps`: the first page that a new Administrator sees.
struct NextStepsRoutes: Sendable {
    let database: any Database
    let door: AccountDoor

    static let path = "/account/next-steps"

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/next-steps", use: show)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, at: Self.path) { visit in
            let now = door.pages.surroundings.now()
            let organization = try await database.read { transaction in
                try visit.person.rolesThatShareData(at: now, in: transaction).contains(.administrator)
                    ? visit.person.organizationID.flatMap { try Organization.find($0, in: transaction) } : nil
            }
            guard let organization else { return .seeOther(AccountRoutes.path) }
            return door.respond(
                with: NextStepsPage(
                    organization: Badge(organization), userName: visit.person.userName,
                    consolePath: ConsoleSection.home.path),
                at: Self.path, visit)
        }
    }
}
