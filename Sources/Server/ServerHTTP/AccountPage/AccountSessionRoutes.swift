import Authorization
import Directory
import Foundation
import HTTPTypes
import Hummingbird
import ServerPages

/// `/account/sessions/…`: sign out of other browsers.
struct AccountSessionRoutes: Sendable {
    let sessions: OpenSessions
    let door: AccountDoor

    static let othersPath = "/account/sessions/sign-out-others"
    static func path(of handle: String) -> String { "/account/sessions/\(handle)/sign-out" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("account/sessions/sign-out-others", use: endOthers)
        router.post("account/sessions/{session}/sign-out", use: end)
        // A browser that reloads the answer to a form may send a GET here.
        for path in ["account/sessions/sign-out-others", "account/sessions/{session}/sign-out"] as [RouterPath] {
            router.get(path) { _, _ in Response.seeOther(AccountRoutes.path) }
        }
    }

    @Sendable private func end(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: AccountRoutes.path) { visit, form in
            // If a session has ended in the meantime, the person has what they asked for.
            let others = try form[AccountPage.Session.others]?.split(separator: " ").map(String.init) ?? []
            try await sessions.end(
                [context.parameters.get("session") ?? ""] + others, in: visit.session, origin: visit.origin)
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

extension AccountPage.Session {
    /// The hidden field with the handles of the further sessions of a row, separated by spaces.
    static let others = "others"

    /// Sessions with the same description share a row, the latest first. The person's present session has a row of its
    /// own.
    /// - Parameter lastUse: when a session was last used; nil if unknown.
    static func rows(
        of sessions: [BrowserSession.Listed], in own: BrowserSession, lastUse: (BrowserSession.Listed) -> Date?
    ) -> [AccountPage.Session] {
        var rows: [(device: Device, sessions: [BrowserSession.Listed])] = []
        for session in sessions where session.handle != own.handle {
            let device = Device(session)
            if let row = rows.firstIndex(where: { $0.device == device }) {
                rows[row].sessions.append(session)
            } else {
                rows.append((device, [session]))
            }
        }
        let current = sessions.filter { $0.handle == own.handle }.map {
            AccountPage.Session(
                device: Device($0), signedInAt: $0.authenticatedAt, isCurrent: true,
                signOut: .signOut(then: "/signed-out"))
        }
        return current
            + rows.map { device, sessions in
                let others = sessions.dropFirst().map(\.handle).joined(separator: " ")
                return AccountPage.Session(
                    device: device, signedInAt: sessions[0].authenticatedAt, usedAt: sessions.compactMap(lastUse).max(),
                    count: sessions.count, isCurrent: false,
                    signOut: Form(
                        action: AccountSessionRoutes.path(of: sessions[0].handle),
                        hiddenFields: others.isEmpty ? [] : [HiddenField(name: Self.others, value: others)]))
            }
    }
}

extension Device {
    fileprivate init(_ session: BrowserSession.Listed) {
        self = session.deviceName.map { Device(browser: nil, system: $0) } ?? Device(userAgent: session.userAgent)
    }
}
