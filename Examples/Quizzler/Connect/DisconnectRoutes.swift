import Foundation
import Hummingbird
import LanyardClient
import Logging

/// The *Disconnect* button: revokes the tokens and deletes all data.
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
        let connection = try await store.managedConnection(in: context, at: now())
        return try pages.response(DisconnectPage(connection, csrfToken: context.csrfToken))
    }

    @Sendable func disconnect(_ request: Request, context: QuizzlerContext) async throws -> Response {
        try await request.checkedForm(context)
        let connection = try await store.managedConnection(in: context, at: now())
        let message =
            "\(connection.organizationName.isolated) is disconnected, and its people and classes are deleted here."
        // Delete the data first, so that this does not depend on the network.
        let notice = try await store.update { $0.end(connection, at: now(), notice: message, for: context.visitorKey) }
        if let notice, await !client.giveBack(connection.refreshToken, logger: context.logger) {
            try await store.update { contents in
                guard let index = contents.notices.firstIndex(where: { $0.id == notice.id }) else { return }
                contents.notices[index].message +=
                    " Lanyard could not be told. An administrator can stop sharing with Quizzler on their account page there."
            }
        }
        return .redirect(to: Link.home)
    }

    @Sendable func dismiss(_ request: Request, context: QuizzlerContext) async throws -> Response {
        try await request.checkedForm(context)
        let id = context.parameters.get("notice", as: UUID.self)
        try await store.update { contents in
            contents.notices.removeAll { $0.id == id && $0.visitorKey == context.visitorKey }
        }
        return .redirect(to: Link.home)
    }
}

extension LanyardClient {
    /// Revokes a refresh token that Quizzler no longer needs.
    /// - Returns: Whether Lanyard has revoked it.
    func giveBack(_ refreshToken: String, logger: Logger) async -> Bool {
        do {
            try await revoke(refreshToken, hint: .refreshToken)
            return true
        } catch {
            logger.warning("revocation failed", metadata: ["error": "\(error)"])
            return false
        }
    }
}
