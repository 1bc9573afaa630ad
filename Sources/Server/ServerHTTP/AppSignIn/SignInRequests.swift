import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// Takes authorization requests: checks them, parks them, and leads the person on.
struct SignInRequests: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let pages: PageResponder

    /// Checks a request and goes on with it. What is wrong with it goes back to the app, or onto a page as long as the
    /// app is not known.
    /// - Parameters:
    ///   - check: as the profile has it.
    ///   - goOn: nil to park the request and lead to its page.
    func take(
        _ request: Request, _ context: AppContext, in profile: Profile,
        check: @escaping @Sendable (ReadTransaction) throws -> AuthorizationRequest,
        goOn: ((AuthorizationRequest, Visitor) async throws -> Response)? = nil
    ) async throws -> Response {
        let visitor = pages.visitor(of: request)
        do {
            let valid = try await database.read(check)
            // Whoever only looks leaves nothing behind.
            if request.method == .head { return Response(status: .ok, headers: [.cacheControl: "no-store"]) }
            var response =
                if let goOn { try await goOn(valid, visitor) } else { try await park(valid, for: visitor, context) }
            pages.set(
                Self.languages(request, profile).flatMap(Language.wished(in:)), forVisitOf: visitor, in: &response)
            return response
        } catch AuthorizationRequest.Refusal.page(let error) {
            throw error
        } catch AuthorizationRequest.Refusal.redirect(let error, let answer) {
            context.logger.notice("refused", metadata: ["reason": "\(error.reason)"])
            let host = URLComponents(string: answer.redirectURI)?.host ?? ""
            let description = profile.manners.describesErrors ? error.description : nil
            return pages.carry(
                answer.error(error.code, description: description), appName: host, to: request, context,
                visitor: visitor)
        }
    }

    /// In which languages the app would have the pages.
    private static func languages(_ request: Request, _ profile: Profile) -> String? {
        // What is there twice has been refused before.
        guard let parameters = try? request.queryParameters() else { return nil }
        return profile.manners.languageParameter.flatMap { try? parameters[$0] }
    }

    /// Parks a request and leads to its page.
    func park(
        _ request: AuthorizationRequest, for visitor: Visitor, _ context: AppContext
    ) async throws -> Response {
        let (surroundings, address) = (surroundings, AddressBlock(context.remoteAddress))
        let token = try await database.write { transaction in
            try ParkedRequest.insert(
                request, browser: visitor.browserSecret, address: address, at: surroundings.now(), from: surroundings,
                in: transaction)
        }
        let path =
            request.profile.manners.organizationConsents
            ? ConsentRoutes.path(of: token.text) : ContinueRoutes.path(of: token.text)
        var response = Response.found(path)
        pages.welcome(visitor, in: &response)
        return response
    }

    /// The same request as a GET. A form that another site posts comes without the cookies that say who is signed in;
    /// the redirect brings them.
    @Sendable static func asGet(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.formText(context)
        guard body.utf8.count <= queryBytesMax else {
            throw OAuthError(.invalidRequest, "the request is longer than \(queryBytesMax) bytes")
        }
        // It goes into a header.
        guard body.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw OAuthError(.invalidRequest, "the form is not percent-encoded")
        }
        return .seeOther("\(request.routedPath)?\(body)")
    }

    /// What browsers and proxies carry.
    static let queryBytesMax = 8_192
}
