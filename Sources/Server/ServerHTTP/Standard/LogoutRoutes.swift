import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/oidc/logout`: an app asks to end the session here too. OpenID Connect RP-Initiated Logout.
///
/// If the app sends an identity token of the person who is signed in, they are signed out. Otherwise they are asked, so
/// that no page can sign people out, for example by an image.
struct LogoutRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let keys: SigningKeys
    let teamIdentifiers: TeamIdentifiers
    let pages: PageResponder
    let issuer: String

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("oidc/logout", use: { try await self.logOut(try $0.queryParameters(), $0, $1) })
        router.post("oidc/logout", use: AuthorizationRequests.asGet)
        router.post("oidc/logout/decision", use: decide)
    }

    /// Where the person should go afterwards, if the app has registered that address.
    private struct Wish: Sendable {
        var clientID: String?
        var address: String?
        var state: String?
        var app: RequestingApp?
        var teamID: TeamID?

        var location: String {
            guard let address else { return "/signed-out" }
            guard let state else { return address }
            return "\(address)\(address.contains("?") ? "&" : "?")state=\(FormEncoding.escape(state))"
        }

        var hiddenFields: [HiddenField] {
            [("client_id", clientID), ("post_logout_redirect_uri", address), ("state", state)].compactMap {
                name, value in value.map { HiddenField(name: name, value: $0) }
            }
        }
    }

    private func wish(_ parameters: RequestParameters, clientID: String?) async throws -> Wish {
        var wish = Wish(clientID: clientID, state: try parameters["state"])
        let address = try parameters["post_logout_redirect_uri"]
        guard let clientID else {
            if address != nil {
                throw OAuthError.telling(.invalidRequest, "post_logout_redirect_uri needs client_id or id_token_hint")
            }
            return wish
        }
        guard
            let (app, requesting, addresses) = try await database.read({ transaction in
                try App.find(clientID: clientID, in: transaction).map {
                    (
                        $0, try RequestingApp.find(clientID, in: transaction),
                        try App.signOutURLs(of: $0.id, in: transaction)
                    )
                }
            })
        else { throw OAuthError(.invalidClient, "there is no client with this client_id") }
        if let address {
            guard addresses.containsExactly(address) else {
                throw OAuthError(
                    .unauthorizedClient,
                    "“\(address.prefix(2_048))” is not an address of the client for after signing out")
            }
            wish.address = address
        }
        wish.app = requesting
        wish.teamID = app.teamID
        return wish
    }

    private func logOut(
        _ parameters: RequestParameters, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        try parameters.requireNoRepeats()
        let visitor = pages.visitor(of: request)
        var known: IdentityTokenHint?
        if let token = try parameters["id_token_hint"], let hint = try await keys.hint(token),
            hint.iss.isExactly(issuer)
        {
            known = hint
        }
        let named = try parameters["client_id"]
        if let known, let named, !known.aud.isExactly(named) {
            throw OAuthError.telling(.invalidRequest, "client_id and id_token_hint name different clients")
        }
        let wish = try await wish(parameters, clientID: named ?? known?.aud)
        // A person who is not signed in here any more may still be signed in to apps. Those are told only if the app
        // has sent an identity token; otherwise any page could cause that by leading a browser here.
        guard let session = try await sessions.session(of: visitor) else {
            return known == nil ? .seeOther(wish.location) : try await end(visitor, then: wish, context)
        }
        if let known, let team = wish.teamID,
            try await teamIdentifiers.of(team).text(of: session.person.id, in: session.person.organizationID)
                .isExactly(known.sub)
        {
            return try await end(visitor, then: wish, context)
        }
        let now = surroundings.now()
        let (person, account) = try await database.read {
            (try SignedInPerson(session.person, at: now, in: $0), try AccountKind(of: session.person, in: $0))
        }
        return pages.respond(
            with: SignOutConfirmPage(
                app: wish.app, person: person, account: account,
                decision: Form(action: "/oidc/logout/decision", hiddenFields: wish.hiddenFields)),
            to: request, context, visitor: visitor,
            leadsToApp: wish.address != nil, currentPath: "/")
    }

    @Sendable private func decide(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form, from: "/")
        let wish = try await wish(form, clientID: try form["client_id"])
        // If the person stays signed in, they return to the app, if it has named an address.
        guard try form["decision"] == "sign_out" else {
            return .seeOther(wish.address == nil ? "/" : wish.location)
        }
        return try await end(visitor, then: wish, context)
    }

    private func end(_ visitor: Visitor, then wish: Wish, _ context: AppContext) async throws -> Response {
        try await sessions.end(visitor, origin: .request(context))
        var response = Response.seeOther(wish.location)
        pages.leave(visitor, in: &response)
        return response
    }
}
