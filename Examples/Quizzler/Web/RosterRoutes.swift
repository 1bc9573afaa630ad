import Foundation
import Hummingbird

/// Home, organizations and classes.
struct RosterRoutes: Sendable {
    let store: ConnectionStore
    let sync: SyncService
    let pages: Pages
    let now: @Sendable () -> Date

    func mount(on router: some RouterMethods<QuizzlerContext>) {
        router.get(use: home)
        router.get("organizations/:organization", use: organization)
        router.post("organizations/:organization/sync", use: requestSync)
        router.get("organizations/:organization/classes/:class", use: rosterClass)
    }

    @Sendable func home(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let contents = await store.contents
        let connections = await store.connections
        return try pages.response(
            HomePage(connections, notices: contents.notices, now: now(), csrfToken: context.csrfToken))
    }

    @Sendable func organization(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let connection = try await store.connection(in: context)
        return try pages.response(
            OrganizationPage(
                connection,
                progress: sync.progress(of: connection.organizationID),
                locationID: request.uri.queryParameters["location"].map { String($0) },
                page: request.uri.queryParameters["page"].flatMap { Int($0) } ?? 1,
                now: now(),
                csrfToken: context.csrfToken
            ))
    }

    @Sendable func requestSync(_ request: Request, context: QuizzlerContext) async throws -> Response {
        try await request.requireCSRFToken(context)
        let connection = try await store.connection(in: context)
        sync.request(connection.organizationID)
        return .redirect(to: Link.organization(connection.organizationID))
    }

    @Sendable func rosterClass(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let connection = try await store.connection(in: context)
        let classID = try context.id("class")
        guard let page = ClassPage(classID, of: connection) else { throw PageError.notFound }
        return try pages.response(page)
    }
}
