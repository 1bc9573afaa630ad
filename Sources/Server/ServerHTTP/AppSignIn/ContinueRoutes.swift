import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// `/continue/…`: sign in to an app. The page shows who is signed in and what the app gets, with Continue and Cancel.
struct ContinueRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let signIns: SignInService
    let pages: PageResponder
    /// `iss` of answers to standard clients.
    let standardIssuer: String
    /// Whether people can hide their address, for which a relay is needed.
    let canHideEmail: Bool
    let offers: AccountOffers

    private static let prefix = "/continue/"

    static func path(of token: String) -> String { prefix + token }

    /// The token in a path; nil if it is not the path of such a page.
    static func token(of path: LocalPath) -> String? {
        path.text.hasPrefix(prefix) ? String(path.text.dropFirst(prefix.count)) : nil
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("continue/{request}", use: show)
        router.post("continue/{request}", use: decide)
    }

    /// A request that waits, with the browser and the person.
    struct Visit: Sendable {
        let request: Request
        let context: AppContext
        let visitor: Visitor
        let token: String
        let parked: ParkedRequest

        var path: String { ContinueRoutes.path(of: token) }
        var origin: Origin { .request(context) }
    }

    // MARK: Showing

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let visit = try await visit(request, context)
        if let done = try await deviceDonePage(visit) { return done }
        guard let session = try await sessions.session(of: visit.visitor) else { return try await signInPage(visit) }
        if visit.parked.wasMistaken(in: session) {
            let refusal = OAuthError.telling(.loginRequired, "another person has signed in than the app asks for")
            let answer = visit.parked.request.response.error(refusal.code, description: refusal.description)
            return try await respond(to: .answer(answer), visit, session)
        }
        guard visit.parked.accepts(session) else { return try await signInPage(visit) }
        if session.mustChangePassword { return .seeOther(ChangePasswordRoutes.path(then: visit.path)) }
        let now = surroundings.now()
        let question = try await database.read { transaction in
            try SignInQuestion.find(for: visit.parked.request, person: session.person.id, at: now, in: transaction)
        }
        let reason = question.page(
            before: visit.parked.request, in: session, hasJustSignedIn: visit.parked.began(session))
        if reason == nil {
            return try await respond(
                to: try await signIns.proceed(visit.parked, by: session, choice: nil, origin: visit.origin), visit,
                session)
        }
        return try await page(for: question, visit, session)
    }

    // MARK: Deciding

    @Sendable private func decide(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form)
        let visit = try await visit(request, context, visitor)
        if let done = try await deviceDonePage(visit) { return done }
        let session = try await sessions.session(of: visitor)
        switch try form["decision"] {
        case "continue":
            // If the session has ended while the page was open, the person signs in and sees the page again.
            guard let session, !session.mustChangePassword, visit.parked.accepts(session) else {
                return .seeOther(visit.path)
            }
            let choice = SignInService.Choice(
                givenName: try form["given_name"], familyName: try form["family_name"],
                email: try form["email_choice"].flatMap(SignInService.EmailChoice.init))
            let outcome = try await signIns.proceed(visit.parked, by: session, choice: choice, origin: visit.origin)
            if case .incomplete(let welcome, let problems) = outcome {
                return try await page(for: .create(welcome), visit, session, choice: choice, problems: problems)
            }
            return try await respond(to: outcome, visit, session)
        case "deny":
            let outcome = try await signIns.cancel(visit.parked, by: session?.person, origin: visit.origin)
            return try await respond(to: outcome, visit, session)
        default: throw OAuthError(.invalidRequest, "decision is neither continue nor deny")
        }
    }

    private func respond(
        to outcome: SignInService.Outcome, _ visit: Visit, _ session: BrowserSession?
    ) async throws -> Response {
        switch outcome {
        case .answer(let carrier):
            let appName = try await visit.parked.appName(in: database)
            return pages.carry(
                carrier, appName: appName, to: visit.request, visit.context, visitor: visit.visitor)
        case .deviceAllowed: return try await deviceDonePage(.allowed, visit)
        case .deviceDenied: return try await deviceDonePage(.denied, visit)
        case .incomplete(let welcome, let problems):
            guard let session else { return .seeOther(visit.path) }
            return try await page(for: .create(welcome), visit, session, problems: problems)
        case .refused(let question):
            guard let session else { return .seeOther(visit.path) }
            return try await page(for: question, visit, session)
        case .consented: return .seeOther(visit.path)
        case .alreadyAnswered: throw PageError.expired
        }
    }

    private func visit(
        _ request: Request, _ context: AppContext, _ visitor: Visitor? = nil
    ) async throws -> Visit {
        guard let token = context.parameters.get("request") else { throw PageError.notFound }
        let visitor = visitor ?? pages.visitor(of: request)
        let (now, issuer) = (surroundings.now(), standardIssuer)
        guard
            let parked = try await database.read({
                try ParkedRequest.find(
                    token: token, browser: visitor.browserSecret, issuer: issuer, at: now, in: $0)
            }), !parked.request.profile.manners.organizationConsents
        else { throw PageError.expired }
        return Visit(request: request, context: context, visitor: visitor, token: token, parked: parked)
    }
}
