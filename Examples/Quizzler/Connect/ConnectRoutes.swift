import Foundation
import Hummingbird
import LanyardAPI
import LanyardClient
import Logging

/// The routes from the button *Connect your school* to a connected organization.
struct ConnectRoutes: Sendable {
    let client: LanyardClient
    let redirectURI: String
    let store: ConnectionStore
    let sync: SyncService
    let pending: PendingAttempts
    let pages: Pages
    let now: @Sendable () -> Date

    func mount(on router: some RouterMethods<QuizzlerContext>) {
        router.get("connect", use: begin)
        router.get("connect/callback", use: callback)
    }

    @Sendable func begin(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let attempt = pending.begin(browserID: context.browserID)
        return .redirect(
            to: client.authorizationURL(
                redirectURI: redirectURI,
                scopes: [.usersRead, .classesRead],
                state: attempt.state,
                nonce: attempt.nonce,
                codeChallenge: attempt.codeChallenge
            ), type: .found)
    }

    @Sendable func callback(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let query = request.uri.queryParameters
        guard let state = query["state"],
            let attempt = pending.take(state: String(state), browserID: context.browserID)
        else {
            return try pages.response(MessagePage.connectLinkExpired, status: .badRequest)
        }
        if let error = query["error"] {
            context.logger.notice("not connected", metadata: ["error": "\(error)"])
            let wasDeclined = ["access_denied", "user_cancelled_authorize"].contains(error)
            return try pages.response(wasDeclined ? MessagePage.declined : .notConnected)
        }
        guard let code = query["code"] else {
            return try pages.response(MessagePage.connectLinkExpired, status: .badRequest)
        }
        do {
            let connection = try await connect(code: String(code), attempt: attempt, in: context)
            sync.request(connection.organizationID)
            return .redirect(to: Link.organization(connection.organizationID))
        } catch let error as LanyardClientError {
            context.logger.warning("connecting failed", metadata: ["error": "\(error)"])
            return try pages.response(MessagePage.notConnected, status: .badGateway)
        }
    }

    private func connect(
        code: String, attempt: AuthorizationAttempt, in context: QuizzlerContext
    ) async throws -> Connection {
        let tokens = try await client.exchange(
            code: code, redirectURI: redirectURI, codeVerifier: attempt.codeVerifier)
        guard let refreshToken = tokens.refreshToken else {
            throw LanyardClientError.unexpectedAnswer(status: 200, "There is no refresh token.", requestID: nil)
        }
        let kept: (connection: Connection, earlier: Connection?)
        do {
            kept = try await keep(tokens, refreshToken: refreshToken, attempt: attempt, visitorKey: context.visitorKey)
        } catch {
            _ = await client.giveBack(refreshToken, logger: context.logger)
            throw error
        }
        if let earlier = kept.earlier, earlier.refreshToken != refreshToken {
            _ = await client.giveBack(earlier.refreshToken, logger: context.logger)
        }
        return kept.connection
    }

    /// Finds out whose tokens these are, and stores the connection.
    /// - Returns: The new connection, and the earlier one that it replaces.
    private func keep(
        _ tokens: Tokens,
        refreshToken: String,
        attempt: AuthorizationAttempt,
        visitorKey: String
    ) async throws -> (connection: Connection, earlier: Connection?) {
        let session = RosterSession(client: client, refreshToken: refreshToken, accessToken: tokens.accessToken)
        let organization = try await client.roster(session).organization()
        guard let organizationID = organization.id else {
            throw LanyardClientError.unexpectedAnswer(status: 200, "The organization has no id.", requestID: nil)
        }
        if let identityToken = tokens.identityToken {
            let identity = try await client.verify(identityToken: identityToken, nonce: attempt.nonce)
            guard identity.organizationID ?? organizationID == organizationID else {
                throw LanyardClientError.invalidToken(.wrongAudience)
            }
        }
        return try await store.update { contents in
            let earlier = contents.connections[organizationID]
            let connection = Connection(
                organizationID: organizationID,
                organizationName: organization.name ?? "Organization without a name",
                id: UUID(),
                refreshToken: refreshToken,
                connectedAt: now(),
                visitorKey: visitorKey,
                roster: earlier?.roster,  // to be shown until the first sync is complete
                lastSync: earlier?.lastSync
            )
            contents.connections[organizationID] = connection
            return (connection, earlier)
        }
    }
}
