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

extension RequestingApp {
    init(_ app: App, _ team: Team, clientID: String) {
        self.init(name: app.name, clientID: clientID, teamName: team.name)
    }

    /// - Throws: ``OAuthError`` `invalid_client` if the app has gone meanwhile.
    static func find(_ clientID: String, in transaction: some Transaction) throws -> RequestingApp {
        guard let app = try App.find(clientID: clientID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction)
        else { throw OAuthError(.invalidClient, "the client has been removed") }
        return RequestingApp(app, team, clientID: clientID)
    }
}

extension SignedInPerson {
    /// With the highest of the roles that the person holds.
    init(_ person: Person, in transaction: some Transaction) throws {
        let held = Set(try RoleAssignment.list(of: person.id, in: transaction).map(\.role))
        self.init(person, as: AccountRole(Role.allCases.first(where: held.contains), of: person))
    }
}
