import Foundation
import HTTPTypes
import Hummingbird
import LanyardAPI
import LanyardClient
import Logging

/// The routes to the service, back from it, and for signing out.
struct SignInRoutes: Sendable {
    let signIn: SignIn

    func mount<Context: SignInContext>(on router: Router<Context>) {
        let path = signIn.configuration.path
        router.get(RouterPath(path)) { request, context in try begin(request, context) }
        router.get(RouterPath(path + "/callback")) { request, context in
            try await finish(request.uri.query ?? "", of: request, context)
        }
        router.post(RouterPath(path + "/callback")) { request, context in
            let body = try await request.smallBody()
            return try await finish(String(buffer: body), of: request, context)
        }
        router.post(RouterPath(path + "/out")) { request, context in try await end(request, context) }
    }

    private func begin(_ request: Request, _ context: some SignInContext) throws -> Response {
        let returnTo = LocalPath(request.uri.queryParameters["return_to"].map { String($0) })
        let trip = signIn.trips.begin(returnTo: returnTo?.text ?? signIn.configuration.homePath)
        var response = Self.redirect(
            to: signIn.client.signIn.authorizationURL(
                redirectURI: signIn.redirectURI, scopes: signIn.configuration.scopes, attempt: trip.attempt))
        for cookie in try signIn.trips.cookies(for: trip, in: request) {
            response.setCookie(cookie)
        }
        return response
    }

    private func finish(_ text: String, of request: Request, _ context: some SignInContext) async throws -> Response {
        let fields = FormFields(text)
        guard let state = fields?["state"], let trip = signIn.trips.find(state: state, in: request) else {
            if let fields, fields["state"] != nil, request.method == .post, fields[RepostPage.mark] == nil {
                return RepostPage(fields: fields).response
            }
            // The browser's back button also leads here.
            if context.person != nil { return Self.redirect(to: signIn.configuration.homePath) }
            throw failure(.badRequest, "This sign-in began in another browser, or too long ago.")
        }
        var response = try await respond(to: text, trip: trip, context)
        response.setCookie(signIn.trips.cookies.expired(signIn.trips.cookies.tripName(state: state)))
        return response
    }

    private func respond(to text: String, trip: Trip, _ context: some SignInContext) async throws -> Response {
        let result: SignInResult
        do {
            let answer = try AuthorizationAnswer(text, state: trip.state)
            result = try await signIn.client.signIn.finish(
                answer, attempt: trip.attempt, redirectURI: signIn.redirectURI)
        } catch let error as LanyardClientError {
            if error.isCancelledByPerson { return Self.redirect(to: signIn.configuration.homePath) }
            context.logger.warning("nobody is signed in", metadata: ["error": "\(error)"])
            throw failure(error.status, "That did not work.")
        }
        let person = SignedInPerson(
            result.identity, name: try await name(in: result), at: signIn.client.now())
        try await signIn.configuration.onSignIn(person)
        var response = Self.redirect(to: trip.returnTo)
        response.setCookie(try await signIn.keeper.begin(person, refreshToken: result.tokens.refreshToken))
        return response
    }

    private func failure(_ status: HTTPResponse.Status, _ message: String) -> SignInFailure {
        SignInFailure(status: status, message: message, path: signIn.configuration.path)
    }

    /// The name from the service the first time, later from the store.
    private func name(in result: SignInResult) async throws -> PersonName? {
        guard let name = PersonName(result.user?.name) else {
            return try await signIn.configuration.names.name(ofPerson: result.identity.subject)
        }
        try await signIn.configuration.names.keep(name, ofPerson: result.identity.subject)
        return name
    }

    private func end(_ request: Request, _ context: some SignInContext) async throws -> Response {
        guard isFromHere(request) else { throw HTTPError(.forbidden, message: "This form is not from here.") }
        var response = Self.redirect(to: signIn.configuration.homePath)
        response.setCookie(try await signIn.keeper.end(request))
        return response
    }

    /// Forms of other sites do not carry the cookie anyway. The headers of newer browsers are checked as well.
    private func isFromHere(_ request: Request) -> Bool {
        if let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!] { return site == "same-origin" }
        return request.headers[.origin].map { $0.lowercased() == signIn.publicURL.lowercased() } ?? true
    }

    private static func redirect(to location: String) -> Response {
        Response(
            status: .seeOther,
            headers: [
                .location: location, .cacheControl: "no-store", HTTPField.Name("Referrer-Policy")!: "no-referrer",
            ])
    }
}

extension LanyardClientError {
    /// The status of a failed sign-in: whether the browser's answer or the service is at fault.
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .wrongState, .malformedAnswer, .invalidToken, .oauth(.invalidGrant, _, _): .badRequest
        default: .badGateway
        }
    }
}
