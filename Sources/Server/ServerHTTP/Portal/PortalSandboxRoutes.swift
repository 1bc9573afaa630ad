import Administration
import ConsolePages
import Hummingbird
import ServerPages

/// `/developer/teams/…/sandbox`: the school in which a team tries its apps.
struct PortalSandboxRoutes: Sendable {
    let door: PortalDoor
    /// The address of the server, as people are to type it.
    let address: String

    func mount(on router: some RouterMethods<AppContext>) {
        let sandbox: RouterPath = "developer/teams/{team}/sandbox"
        router.get(sandbox, use: show)
        router.post(sandbox, use: create)
        router.post("\(sandbox)/password", use: issuePassword)
        router.get("\(sandbox)/remove", use: askToRemove)
        router.post("\(sandbox)/remove", use: remove)
    }

    private static func page(_ visit: PortalDoor.Visit, failure: OperationFailure? = nil) async throws -> SandboxPage {
        SandboxPage(
            portal: visit.portal, sandbox: try await visit.ask(ShowSandbox(team: visit.team)).sandbox, failure: failure)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context) { .page(try await Self.page($0)) }
    }

    @Sendable private func create(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, again: { visit, _, failure in try await Self.page(visit, failure: failure) }
        ) { visit, _ in
            let opened = try await visit.perform(CreateSandbox(team: visit.team)).answer
            return .page(SandboxOpenedPage(portal: visit.portal, opened: opened, address: address))
        }
    }

    @Sendable private func issuePassword(_ request: Request, context: AppContext) async throws -> Response {
        let page = "\(PortalSection.start)/teams/\(try context.pathInput("team"))/sandbox"
        return try await door.submit(
            request, context, from: LocalPath(page).text,
            again: { visit, _, failure in try await Self.page(visit, failure: failure) }
        ) { visit, _ in
            let opened = try await visit.perform(IssueSandboxPassword(team: visit.team)).answer
            return .page(SandboxOpenedPage(portal: visit.portal, opened: opened, address: address))
        }
    }

    @Sendable private func askToRemove(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, confirmsIdentity: true) { visit in
            let path = visit.portal.path(of: .sandbox)
            return .page(
                ConfirmPage(
                    frame: visit.portal.frame(in: .sandbox), heading: Sentence("portalSandbox.remove"),
                    parent: ConsoleLink(Sentence("portalSandbox.heading"), to: path),
                    consequences: [Sentence("portalSandbox.removeText")],
                    preview: try await visit.preview(RemoveSandbox(team: visit.team)), action: "\(path)/remove",
                    button: Sentence("portalSandbox.remove"), isFinal: true))
        }
    }

    @Sendable private func remove(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, confirmsIdentity: true) { visit, input in
            _ = try await visit.perform(RemoveSandbox(team: visit.team), ifVersion: try input.version)
            return .next(visit.portal.path(of: .sandbox), changes: [])
        }
    }
}
