import Administration
import Authorization
import ConsolePages
import Hummingbird
import ServerPages

/// `/developer/teams/…/apps/…/clients`: the identifiers of an app.
struct PortalClientRoutes: Sendable {
    let door: PortalDoor

    func mount(on router: some RouterMethods<AppContext>) {
        let client: RouterPath = "developer/teams/{team}/apps/{app}/clients/{client}"
        router.get(client, use: showAuthentication)
        router.post(client, use: setAuthentication)
        router.get("\(client)/secret", use: askForSecret)
        router.post("\(client)/secret", use: makeSecret)
        router.get("\(client)/remove", use: askToRemove)
        router.post("\(client)/remove", use: remove)
    }

    // MARK: Authentication

    /// With a secret, or without any proof, whoever has made this choice can act as the app. So it is asked first who it is:
    /// the browser may be a borrowed one.
    @Sendable private func showAuthentication(_ request: Request, context: AppContext) async throws -> Response {
        let (app, client) = (try context.app, try context.pathInput("client"))
        return try await door.open(request, context, confirmsIdentity: true) { visit in
            let record = try await visit.ask(ShowApp(app: app))
            return .page(ClientPage(portal: visit.portal, app: record, client: try record.client(client)))
        }
    }

    @Sendable private func setAuthentication(_ request: Request, context: AppContext) async throws -> Response {
        let (app, client) = (try context.app, try context.pathInput("client"))
        return try await door.submit(request, context, confirmsIdentity: true) { visit, input in
            let record = try await visit.ask(ShowApp(app: app))
            let present = try record.client(client).authentication
            let chosen = try input.required("authentication", as: Client.Authentication.self)
            let algorithm = try input.required("signingAlgorithm", as: SigningAlgorithm.self)
            // A secret is made on a page of its own, which shows it once.
            let needsSecret = chosen.hasSecret && !present.hasSecret
            let change = SetClient(
                client: ClientReference(client), authentication: needsSecret ? nil : chosen,
                signingAlgorithm: algorithm)
            let path = visit.portal.path(of: record)
            if present.hasSecret, !chosen.hasSecret, try !input.isConfirmed {
                return .page(
                    ConfirmPage(
                        frame: visit.portal.frame(in: .apps),
                        heading: Sentence("portalClient.heading", ["client": .text(client)]),
                        parent: ConsoleLink(.named(record.name), to: path),
                        consequences: [Sentence("portalClient.secretEnds")],
                        preview: try await visit.preview(change, ifVersion: try input.version),
                        action: "\(path)/clients/\(client)",
                        inputs: [("authentication", chosen.rawValue), ("signingAlgorithm", algorithm.rawValue)],
                        button: Sentence("console.save"), isFinal: true))
            }
            let done = try await visit.perform(change, ifVersion: try input.version)
            return .next(needsSecret ? "\(path)/clients/\(client)/secret" : path, changes: done.changes)
        }
    }

    // MARK: Removing

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

    // MARK: Secrets

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
                    consequences: [
                        try record.client(client).authentication.hasSecret
                            ? Sentence("portalApp.secretText") : Sentence("portalClient.firstSecretText")
                    ],
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

extension AppRecord {
    /// - Throws: ``PageError/notFound`` if the app has no such client
    fileprivate func client(_ clientID: String) throws -> ClientRecord {
        guard let client = clients.first(where: { $0.clientID == clientID }) else { throw PageError.notFound }
        return client
    }
}
