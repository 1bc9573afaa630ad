import Foundation
import HTTPTypes
import Hummingbird
import LanyardClient
import NIOCore

/// Everything that Quizzler answers.
/// - Parameter publicURL: Without a slash at the end.
func makeRouter(
    client: LanyardClient,
    publicURL: String,
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
    NotificationRoutes(client: client, store: store, sync: sync, now: now).mount(on: router)

    let browser = router.group().add(middleware: BrowserCookie(isSecure: publicURL.hasPrefix("https:")))
    RosterRoutes(store: store, sync: sync, pages: pages, now: now).mount(on: browser)
    ConnectRoutes(
        client: client, redirectURI: publicURL + "/connect/callback", store: store, sync: sync,
        pending: PendingAttempts(now: now), pages: pages, now: now
    ).mount(on: browser)
    DisconnectRoutes(client: client, store: store, pages: pages, now: now).mount(on: browser)
    return router
}
