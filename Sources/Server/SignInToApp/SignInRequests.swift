import Authorization
import Directory
import Foundation
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// Takes requests to sign in to an app: checks them, parks them, and leads the person on.
struct SignInRequests: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let pages: PageResponder

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
        var response = Response.found(ContinueRoutes.path(of: token.text))
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
