import Administration
import Authorization
import ConsolePages
import Hummingbird

/// `/manager`: where an administrator begins.
struct HomeRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager", use: show)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let after = try request.queryParameters()["after"].flatMap { Int64($0) }
        return try await door.open(request, context, in: .home) { visit in
            guard !visit.desk.isTeachers else {
                return .page(
                    TeachersHomePage(
                        desk: visit.desk, found: try await visit.ask(ListClasses(after: after, limit: 50)), after: after
                    ))
            }
            let organization =
                visit.desk.mayEverywhere(ShowOrganization.privilege) ? try await visit.ask(ShowOrganization()) : nil
            let findings = visit.desk.may(ListFindings.privilege) ? try await visit.ask(ListFindings()).findings : []
            // One privilege opens them all.
            guard organization != nil else {
                return .page(HomePage(desk: visit.desk, organization: nil, findings: findings))
            }
            return .page(
                HomePage(
                    desk: visit.desk, organization: organization, findings: findings,
                    due: try await visit.ask(ListDueDates()).dates,
                    activity: try await visit.ask(ShowActivity()).days))
        }
    }
}
