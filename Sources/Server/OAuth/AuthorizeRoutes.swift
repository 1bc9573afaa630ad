import Authorization
import Directory
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// `GET /auth/oauth2/v2/authorize`: checks the request, parks it, and leads the person to the consent page.
struct AuthorizeRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let pages: PageResponder
    let ignoredScopes: Set<String>

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("auth/oauth2/v2/authorize", use: authorize)
    }

    @Sendable private func authorize(_ request: Request, context: AppContext) async throws -> Response {
        let parameters = try request.queryParameters()
        let visitor = pages.visitor(of: request)
        let ignoredScopes = ignoredScopes
        let surroundings = surroundings
        do {
            let valid = try await database.read {
                try AuthorizationRequest.validate(parameters, ignoredScopes: ignoredScopes, in: $0)
            }
            // Whoever only looks leaves nothing behind.
            if request.method == .head { return Response(status: .ok, headers: [.cacheControl: "no-store"]) }
            let address = AddressBlock(context.remoteAddress)
            let token = try await database.write { transaction in
                try ParkedRequest.insert(
                    valid, browser: visitor.browserSecret, address: address, at: surroundings.now(),
                    from: surroundings, in: transaction)
            }
            var response = Response.found(ConnectRoutes.path(of: token.text))
            pages.welcome(visitor, in: &response)
            return response
        } catch AuthorizationRequest.Refusal.page(let error) {
            throw error
        } catch AuthorizationRequest.Refusal.redirect(let error, let answer) {
            context.logger.notice("refused", metadata: ["reason": "\(error.reason)"])
            let host = URLComponents(string: answer.redirectURI)?.host ?? ""
            return pages.carry(answer.error(error.code), appName: host, to: request, context, visitor: visitor)
        }
    }
}
