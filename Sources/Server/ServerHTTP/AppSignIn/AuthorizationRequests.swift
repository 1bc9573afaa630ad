import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// Receives authorization requests: checks and parks them, and redirects to the page.
struct AuthorizationRequests: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let pages: PageResponder

    /// Checks a request and continues with it. Errors are sent to the app, or shown on a page as long as the app is not
    /// known.
    /// - Parameters:
    ///   - check: validates the request in its profile.
    ///   - goOn: what to do with a valid request; nil to park it and redirect to its page.
    func take(
        _ request: Request, _ context: AppContext, in profile: Profile,
        check: @escaping @Sendable (ReadTransaction) throws -> AuthorizationRequest,
        goOn: ((AuthorizationRequest, Visitor) async throws -> Response)? = nil
    ) async throws -> Response {
        let visitor = pages.visitor(of: request)
        do {
            let valid = try await database.read(check)
            // A HEAD request must not store anything.
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
                answer.error(error.code, description: description), appName: AppName(host), to: request, context,
                visitor: visitor)
        }
    }

    /// The languages that the app wants for the pages.
    private static func languages(_ request: Request, _ profile: Profile) -> String? {
        // Parameters that are there twice were refused before.
        guard let parameters = try? request.queryParameters() else { return nil }
        return profile.manners.languageParameter.flatMap { try? parameters[$0] }
    }

    /// Parks a request and redirects to its page.
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

    /// Redirects to the same request as a GET. The browser sends a form of another site without the cookies that say
    /// who is signed in; it sends them with the redirected request.
    @Sendable static func asGet(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.formText(context)
        guard body.utf8.count <= queryBytesMax else {
            throw OAuthError(.invalidRequest, "the request is longer than \(queryBytesMax) bytes")
        }
        // The text becomes part of a header.
        guard body.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw OAuthError(.invalidRequest, "the form is not percent-encoded")
        }
        return .seeOther("\(request.routedPath)?\(body)")
    }

    /// Longer addresses are not handled by all browsers and proxies.
    static let queryBytesMax = 8_192
}
