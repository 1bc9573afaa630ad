import Foundation
import Hummingbird
import LanyardClient
import Logging

/// The *Disconnect* button: gives the tokens back and deletes everything.
struct DisconnectRoutes: Sendable {
    let client: LanyardClient
    let store: ConnectionStore
    let pages: Pages
    let now: @Sendable () -> Date

    func mount(on router: some RouterMethods<QuizzlerContext>) {
        router.get("organizations/:organization/disconnect", use: confirm)
        router.post("organizations/:organization/disconnect", use: disconnect)
        router.post("notices/:notice/dismiss", use: dismiss)
    }

    @Sendable func confirm(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let connection = try await store.connection(in: context)
        return try pages.response(DisconnectPage(connection, csrfToken: context.csrfToken))
    }

    @Sendable func disconnect(_ request: Request, context: QuizzlerContext) async throws -> Response {
        try await request.requireCSRFToken(context)
        let connection = try await store.connection(in: context)
        let note = await revoke(connection, context)
        try await store.update { contents in
            contents.disconnect(connection.organizationID, at: now()) { connection in
                "\(connection.organizationName.isolated) is disconnected, "
                    + "and its people and classes are deleted here.\(note)"
            }
        }
        return .redirect(to: Link.home)
    }

    @Sendable func dismiss(_ request: Request, context: QuizzlerContext) async throws -> Response {
        try await request.requireCSRFToken(context)
        let id = context.parameters.get("notice", as: UUID.self)
        try await store.update { contents in contents.notices.removeAll { $0.id == id } }
        return .redirect(to: Link.home)
    }

    /// The data goes even if the service cannot be told: the wish to delete does not wait for a network.
    /// - Returns: What people then have to do themselves, or nothing.
    private func revoke(_ connection: Connection, _ context: QuizzlerContext) async -> String {
        do {
            try await client.revoke(connection.refreshToken, hint: .refreshToken)
            return ""
        } catch {
            context.logger.warning("revocation failed", metadata: ["error": "\(error)"])
            return " School Manager could not be told. An administrator should remove Quizzler there."
        }
    }
}
