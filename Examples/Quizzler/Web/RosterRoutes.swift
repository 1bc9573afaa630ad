import Foundation
import Hummingbird
import LanyardHummingbird

/// The routes of the home page, organizations and classes.
struct RosterRoutes: Sendable {
    let store: ConnectionStore
    let people: PeopleStore
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
        let time = now()
        let notices = await store.contents.notices.filter { $0.visitorKey == context.visitorKey }
            .map { NoticeItem($0, now: time, csrfToken: context.csrfToken) }
        let connections = await store.connections
        let cards = connections.filter { $0.isManaged(by: context, at: time) }.map { OrganizationCard($0, now: time) }
        guard let person = context.person else { return try pages.response(HomePage(notices: notices, cards: cards)) }
        return try pages.response(
            PersonPage(
                person,
                account: await people.accounts[person.id],
                connection: connections.first { $0.organizationID == person.organizationID },
                notices: notices,
                cards: cards
            ))
    }

    @Sendable func organization(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let connection = try await store.managedConnection(in: context, at: now())
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
        try await request.checkedForm(context)
        let connection = try await store.managedConnection(in: context, at: now())
        sync.request(connection.organizationID)
        return .redirect(to: Link.organization(connection.organizationID))
    }

    @Sendable func rosterClass(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let connection = try await store.connection(in: context)
        let classID = try context.id("class")
        guard let view = connection.view(ofClass: classID, for: context, at: now()),
            let page = ClassPage(
                classID, of: connection, view: view, isManaged: connection.isManaged(by: context, at: now()))
        else { throw context.refusal }
        return try pages.response(page)
    }
}
