import Administration
import ConsolePages
import Ground
import Hummingbird
import ServerPages

/// `/developer`: the portal where developers look after their teams and apps.
struct PortalRoutes: Sendable {
    let door: PortalDoor
    let baseURL: String
    /// The `aud` of client secrets.
    let issuer: String
    let surroundings: Surroundings

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("developer", use: start)
        router.post("developer/undo", use: undo)
        for entry in PortalEntryPage.Entry.allCases {
            router.get("developer/\(entry.rawValue)") { request, context in try await show(entry, request, context) }
            router.post("developer/\(entry.rawValue)") { request, context in try await enter(entry, request, context) }
        }
        PortalAppRoutes(door: door, baseURL: baseURL, issuer: issuer).mount(on: router)
        PortalTryRoutes(door: door, baseURL: baseURL, issuer: issuer, surroundings: surroundings).mount(on: router)
        PortalTeamRoutes(door: door).mount(on: router)
        PortalSandboxRoutes(door: door, address: baseURL.asTyped).mount(on: router)
    }

    @Sendable private func start(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context) { visit in
            guard visit.portal.teams.count != 1 else {
                return .next("\(PortalSection.start)/teams/\(visit.portal.teams[0].id)/apps", changes: [])
            }
            return .page(
                PortalStartPage(portal: visit.portal, ways: try await visit.administrator.waysIntoTeams()))
        }
    }

    @Sendable private func undo(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, from: PortalSection.start) { visit, input in
            let (effects, failures) = try await visit.administrator.undo(input, in: .only)
            return .page(
                UndonePage(
                    frame: visit.portal.frame(in: nil), effects: effects, failures: failures,
                    back: LocalPath(try input["from"]).text))
        }
    }

    private func show(
        _ entry: PortalEntryPage.Entry, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        try await door.open(request, context) { visit in
            guard entry.isOpen(by: try await visit.administrator.waysIntoTeams()) else {
                throw OperationError.forbidden(.joinTeams)
            }
            return .page(PortalEntryPage(portal: visit.portal, entry: entry))
        }
    }

    private func enter(
        _ entry: PortalEntryPage.Entry, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        try await door.submit(
            request, context,
            again: { visit, input, failure in
                PortalEntryPage(
                    portal: visit.portal, entry: entry, typed: try input[entry.field] ?? "", failure: failure)
            }
        ) { visit, input in
            let typed = try input[entry.field] ?? ""
            let team =
                switch entry {
                case .found: try await visit.perform(AddTeam(name: typed)).answer
                case .join: try await visit.perform(JoinTeam(code: typed)).answer
                }
            return .next("\(PortalSection.start)/teams/\(team.id)/apps", changes: [])
        }
    }
}
