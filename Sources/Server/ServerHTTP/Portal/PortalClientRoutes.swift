import Administration
import ConsolePages
import Hummingbird
import ServerPages

/// `/developer/teams/…/apps/…/clients`: the identifiers of an app.
struct PortalClientRoutes: Sendable {
    let door: PortalDoor

    func mount(on router: some RouterMethods<AppContext>) {
        let client: RouterPath = "developer/teams/{team}/apps/{app}/clients/{client}"
        router.get("\(client)/secret", use: askForSecret)
        router.post("\(client)/secret", use: makeSecret)
        router.get("\(client)/remove", use: askToRemove)
        router.post("\(client)/remove", use: remove)
    }

    @Sendable private func askToRemove(_ request: Request, context: AppContext) async throws -> Response {
        let (app, client) = (try context.app, try context.pathInput("client"))
        return try await door.open(request, context) { visit in
            let record = try await visit.ask(ShowApp(app: app))
            let path = visit.portal.path(of: record)
            return .page(
                ConfirmPage(
                    frame: visit.portal.frame(in: .apps),
                    heading: Sentence("portalApp.removeClientHeading", ["client": .text(client)]),
                    parent: ConsoleLink(.named(record.name), to: path),
                    consequences: [Sentence("portalApp.removeClientText", ["app": .text(record.name)])],
                    preview: try await visit.preview(RemoveClient(client: ClientReference(client))),
                    action: "\(path)/clients/\(client)/remove", button: Sentence("portalApp.removeClient")))
        }
    }

    @Sendable private func remove(_ request: Request, context: AppContext) async throws -> Response {
        let client = try context.pathInput("client")
        return try await door.submit(request, context) { visit, input in
            let done = try await visit.perform(
                RemoveClient(client: ClientReference(client)), ifVersion: try input.version)
            return .next(visit.portal.path(of: done.answer), changes: done.changes)
        }
    }

    @Sendable private func askForSecret(_ request: Request, context: AppContext) async throws -> Response {
        let (app, client) = (try context.app, try context.pathInput("client"))
        return try await door.open(request, context, confirmsIdentity: true) { visit in
            let record = try await visit.ask(ShowApp(app: app))
            let path = visit.portal.path(of: record)
            return .page(
                ConfirmPage(
                    frame: visit.portal.frame(in: .apps),
                    heading: Sentence("portalApp.secretHeading", ["client": .text(client)]),
                    parent: ConsoleLink(.named(record.name), to: path),
                    consequences: [Sentence("portalApp.secretText")],
                    preview: try await visit.preview(MakeClientSecret(client: ClientReference(client))),
                    action: "\(path)/clients/\(client)/secret", button: Sentence("portalApp.secret"), isFinal: true))
        }
    }

    @Sendable private func makeSecret(_ request: Request, context: AppContext) async throws -> Response {
        let (app, client) = (try context.app, try context.pathInput("client"))
        return try await door.submit(request, context, confirmsIdentity: true) { visit, input in
            let record = try await visit.ask(ShowApp(app: app))
            let done = try await visit.perform(
                MakeClientSecret(client: ClientReference(client)), ifVersion: try input.version)
            return .page(
                ShownOncePage(
                    portal: visit.portal, section: .apps,
                    heading: Sentence("portalApp.secretMade", ["client": .text(client)]),
                    lead: Sentence("portalApp.secretMadeLead"), value: done.answer.secret,
                    back: ConsoleLink(
                        .named(record.name), to: visit.portal.path(of: record))))
        }
    }
}
