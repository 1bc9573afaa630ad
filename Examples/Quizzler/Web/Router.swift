import Foundation
import HTTPTypes
import Hummingbird
import LanyardClient
import LanyardHummingbird
import NIOCore

/// The router with all of Quizzler's routes.
/// - Parameters:
///   - publicURL: Without a trailing slash.
///   - secret: The key that seals the session cookies.
func makeRouter(
    client: LanyardClient,
    publicURL: String,
    secret: Data,
    people: PeopleStore,
    store: ConnectionStore,
    sync: SyncService,
    now: @escaping @Sendable () -> Date
) throws -> Router<QuizzlerContext> {
    let pages = try Pages()
    let router = Router(context: QuizzlerContext.self)
    router.add(middleware: SecurityHeaders())
    router.add(middleware: ErrorPages(pages: pages))
    router.get("healthz") { _, _ in "ok" }
    router.get("style.css") { _, _ in
        Response(
            status: .ok,
            headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "max-age=600"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: styleSheet))
        )
    }
    let signIn = try SigningIn(
        client: client, publicURL: publicURL, secret: secret, people: people, store: store, sync: sync, now: now
    ).make()
    let isSecure = publicURL.hasPrefix("https:")
    router.add(middleware: ForgottenBrowser(isSecure: isSecure, path: "/sign-in/out"))
    signIn.mount(on: router)

    let browser = router.group().add(middleware: BrowserCookie(isSecure: isSecure))
        .add(middleware: KnownPeople(people: people))
    RosterRoutes(store: store, people: people, sync: sync, pages: pages, now: now).mount(on: browser)
    ConnectRoutes(
        client: client, redirectURI: publicURL + "/connect/callback", store: store, sync: sync,
        pending: PendingAttempts(now: now), pages: pages, now: now
    ).mount(on: browser)
    DisconnectRoutes(client: client, store: store, pages: pages, now: now).mount(on: browser)
    PracticeRoutes(people: people, pages: pages).mount(on: browser.group().add(middleware: signIn.required()))
    return router
}
