import Administration
import Authorization
import ConsolePages
import Directory
import Hummingbird

/// `/manager/settings/api-clients`: programs that administrate the organization.
struct APIClientRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/settings/api-clients", use: list)
        router.get("manager/settings/api-clients/add", use: showAdd)
        router.post("manager/settings/api-clients/add", use: add)
        router.get("manager/settings/api-clients/{client}/revoke", use: askToRevoke)
        router.post("manager/settings/api-clients/{client}/revoke", use: revoke)
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(APIClientsPage(desk: visit.desk, clients: try await visit.ask(ListAPIClients()).clients))
        }
    }

    @Sendable private func showAdd(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings, confirmsIdentity: true) { visit in
            try visit.require(AddAPIClient.self)
            return .page(AddAPIClientPage(desk: visit.desk))
        }
    }

    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .settings, from: AddAPIClientPage.path, confirmsIdentity: true,
            again: { visit, input, failure in
                AddAPIClientPage(
                    desk: visit.desk, name: try input["name"] ?? "", privileges: input.all("privileges"),
                    failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                AddAPIClient(
                    name: try input["name"] ?? "",
                    privileges: input.all("privileges").compactMap(Privilege.init(rawValue:))))
            return .page(APIClientMadePage(desk: visit.desk, made: done.answer))
        }
    }

    @Sendable private func askToRevoke(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.parameters.require("client")
        return try await door.open(request, context, in: .settings, confirmsIdentity: true) { visit in
            let preview = try await visit.preview(RevokeAPIClient(client: id))
            guard let client = try await visit.ask(ListAPIClients()).clients.first(where: { $0.clientID == id }) else {
                throw OperationError.notFound(.apiClient, id, in: visit.organization.name)
            }
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .settings, heading: APIClientWords.heading(client),
                    parent: APIClientWords.parent, consequences: APIClientWords.consequences, preview: preview,
                    action: "\(APIClientsPage.path)/\(id)/revoke", button: APIClientWords.button, isFinal: true))
        }
    }

    @Sendable private func revoke(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.parameters.require("client")
        return try await door.submit(
            request, context, in: .settings, from: "\(APIClientsPage.path)/\(id)/revoke", confirmsIdentity: true
        ) { visit, input in
            let done = try await visit.perform(RevokeAPIClient(client: id), ifVersion: try input.version)
            return .next(APIClientsPage.path, changes: done.changes)
        }
    }
}
