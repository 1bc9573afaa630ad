import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// `/connect/…`: sign in, see what an app asks for, and allow or deny it.
struct ConsentRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let consents: ConsentService
    let pages: PageResponder
    let offers: AccountOffers

    private static let prefix = "/connect/"

    static func path(of token: String) -> String { prefix + token }

    /// The token in a path; nil if it is not the path of such a page.
    static func token(of path: LocalPath) -> String? {
        path.text.hasPrefix(prefix) ? String(path.text.dropFirst(prefix.count)) : nil
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("connect/{request}", use: show)
        router.post("connect/{request}", use: decide)
    }

    // MARK: Showing

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let (token, parked) = try await parked(request, context, visitor)
        guard let session = try await sessions.session(of: visitor), parked.accepts(session) else {
            let path = Self.path(of: token)
            let place = try await database.read { try SignInPlace(parked.request, path: path, in: $0) }
            return pages.respond(
                with: offers.signInPage(for: place, then: path, to: visitor), to: request, context, visitor: visitor,
                leadsToApp: true)
        }
        if session.mustChangePassword { return .seeOther(ChangePasswordRoutes.path(then: Self.path(of: token))) }
        guard try await sessions.isFresh(session) else {
            return .seeOther(ConfirmRoutes.path(then: Self.path(of: token)))
        }
        let now = surroundings.now()
        let question = try await database.read { transaction in
            try ConsentQuestion.find(for: parked.request, person: session.person, at: now, in: transaction)
        }
        return try page(for: question, parked: parked, token: token, session: session, request, context, visitor)
    }

    /// - Throws: ``OAuthError`` `invalid_client` if the app has been removed in the meantime.
    private func page(
        for question: ConsentQuestion, parked: ParkedRequest, token: String, session: BrowserSession,
        _ request: Request, _ context: AppContext, _ visitor: Visitor
    ) throws -> Response {
        let path = Self.path(of: token)
        let person = session.person
        let back = Form.deny(at: path)
        func respond(_ page: some Page, status: HTTPResponse.Status = .ok) -> Response {
            pages.respond(
                with: page, status: status, to: request, context, visitor: visitor, leadsToApp: true)
        }
        switch question {
        case .ask(let ask):
            return respond(
                ConsentPage(
                    app: RequestingApp(ask.app, ask.team, clientID: parked.request.clientID),
                    subject: ask.organization.isSynthetic ? .testSchool : .organization(Badge(ask.organization)),
                    person: SignedInPerson(person, as: ask.roles.first.map(AccountRole.init) ?? .developer),
                    scopes: ask.scopes.consentScopes.map {
                        ConsentPage.Scope($0, count: $0 == .classes ? ask.classes : ask.people)
                    },
                    existingScopes: ask.existing?.scopes.consentScopes,
                    formerLastDay: ask.existing?.lastDay?.date, lastDay: ask.lastDay?.date,
                    returnHost: URLComponents(string: parked.request.redirectURI)?.host ?? "",
                    decision: Form(action: path),
                    switchAccount: .signOut(then: path)))
        case .notEntitled(let refused):
            return respond(
                ConsentNotAllowedPage(
                    app: RequestingApp(refused.app, refused.team, clientID: parked.request.clientID),
                    person: SignedInPerson(person, as: AccountRole(refused.role, of: person)),
                    account: AccountKind(refused.organization),
                    requirement: refused.isTest
                        ? .developer : .administrator(contacts: refused.contacts.map(Contact.init)),
                    linkToSend: refused.isTest ? nil : AppAddress.origin(of: parked.request.redirectURI),
                    switchAccount: .signOut(then: path), cancel: back,
                    places: refused.places),
                status: .forbidden)
        case .notAllowed(let app, let organization, let reason):
            guard let shown = NotSharedPage.Reason(reason) else { throw OAuthError(.invalidClient, reason.text) }
            context.logger.notice("refused", metadata: ["reason": "\(reason.text)"])
            return respond(
                NotSharedPage(
                    app: RequestingApp(
                        name: AppName(app), iconID: app.iconID, clientID: parked.request.clientID, teamName: ""),
                    organization: Badge(organization), reason: shown, back: back),
                status: .forbidden)
        }
    }

    // MARK: Deciding

    @Sendable private func decide(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form)
        let (token, parked) = try await parked(request, context, visitor)
        let session = try await sessions.session(of: visitor)
        let outcome: ConsentService.Outcome
        switch try form["decision"] {
        case "allow":
            // If the session has ended while the page was open, the person signs in and sees the page again.
            guard let session, parked.accepts(session), !session.mustChangePassword else {
                return .seeOther(Self.path(of: token))
            }
            // What is decided here counts for the whole organization.
            guard try await sessions.isFresh(session) else {
                return .seeOther(ConfirmRoutes.path(then: Self.path(of: token)))
            }
            outcome = try await consents.allow(parked, by: session, origin: .request(context))
        case "deny": outcome = try await consents.deny(parked, by: session?.person, origin: .request(context))
        default: throw OAuthError(.invalidRequest, "decision is neither allow nor deny")
        }
        switch outcome {
        case .answer(let carrier):
            let appName = try await parked.appName(in: database)
            return pages.carry(carrier, appName: appName, to: request, context, visitor: visitor)
        case .refused(let question):
            guard let session else { return .seeOther(Self.path(of: token)) }
            return try page(for: question, parked: parked, token: token, session: session, request, context, visitor)
        case .alreadyAnswered: throw PageError.expired
        case .signedOut: return .seeOther(Self.path(of: token))
        }
    }

    private func parked(
        _ request: Request, _ context: AppContext, _ visitor: Visitor
    ) async throws -> (token: String, ParkedRequest) {
        guard let token = context.parameters.get("request") else { throw PageError.notFound }
        let now = surroundings.now()
        guard
            let parked = try await database.read({
                try ParkedRequest.find(token: token, browser: visitor.browserSecret, at: now, in: $0)
            }), parked.request.profile.manners.organizationConsents
        else { throw PageError.expired }
        return (token, parked)
    }
}

extension ScopeSet {
    var consentScopes: [ConsentScope] {
        isTest ? [.test] : (readsUsers ? [.users] : []) + (readsClasses ? [.classes] : [])
    }
}

extension NotSharedPage.Reason {
    /// Nil for an app that was removed, for which the organization is not the reason.
    fileprivate init?(_ reason: DataSharingAccess.Reason) {
        switch reason {
        case .appNotListed: self = .appNotListed
        case .signInNotAllowed: self = .signInNotAllowed
        case .organizationIsNoSchool: self = .organizationIsNoSchool
        case .appRemoved: return nil
        }
    }
}
