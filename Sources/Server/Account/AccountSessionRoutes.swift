import Directory
import HTTPTypes
import Hummingbird

/// `/account/sessions/…`: sign out of other browsers.
struct AccountSessionRoutes: Sendable {
    let sessions: OpenSessions
    let door: AccountDoor

    static let othersPath = "/account/sessions/sign-out-others"
    static func path(of handle: String) -> String { "/account/sessions/\(handle)/sign-out" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("account/sessions/sign-out-others", use: endOthers)
        router.post("account/sessions/{session}/sign-out", use: end)
        // Where a browser ends up that shows a page again which answered a form.
        for path in ["account/sessions/sign-out-others", "account/sessions/{session}/sign-out"] as [RouterPath] {
            router.get(path) { _, _ in Response.seeOther(AccountRoutes.path) }
        }
    }

    @Sendable private func end(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: AccountRoutes.path) { visit, _ in
            // One that has ended meanwhile is what was asked for, too.
            try await sessions.end(
                context.parameters.get("session") ?? "", in: visit.session, origin: visit.origin)
            return .seeOther(AccountRoutes.path(noting: .signedOut))
        }
    }

    @Sendable private func endOthers(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: AccountRoutes.path) { visit, _ in
            try await sessions.endOthers(in: visit.session, origin: visit.origin)
            return .seeOther(AccountRoutes.path(noting: .signedOutOthers))
        }
    }
}
