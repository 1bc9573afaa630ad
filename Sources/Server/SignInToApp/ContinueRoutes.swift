import Authorization
import Directory
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// `/continue/…`: sign in to an app: who one is, what the app gets, Continue or Cancel.
struct ContinueRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let signIns: SignInService
    let pages: PageResponder
    /// `iss` of answers to standard clients.
    let standardIssuer: String
    /// Whether addresses can be hidden here.
    let canHideEmail: Bool
    let offers: AccountOffers

    private static let prefix = "/continue/"

    static func path(of token: String) -> String { prefix + token }

    /// Nil if the path leads somewhere else.
    static func token(of path: LocalPath) -> String? {
        path.text.hasPrefix(prefix) ? String(path.text.dropFirst(prefix.count)) : nil
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("continue/{request}", use: show)
        router.post("continue/{request}", use: decide)
    }

    /// What belongs to one request of a browser.
    private struct Visit: Sendable {
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
        guard let session = try await sessions.session(of: visit.visitor), visit.parked.accepts(session) else {
            return try await signInPage(visit)
        }
        if session.mustChangePassword { return .seeOther(ChangePasswordRoutes.path(then: visit.path)) }
        let question = try await database.read { transaction in
            try SignInQuestion.find(for: visit.parked.request, person: session.person.id, in: transaction)
        }
        if question.isAnswered(for: visit.parked, by: session) {
            return try await respond(
                to: try await signIns.proceed(visit.parked, by: session, origin: visit.origin), visit, session)
        }
        return try await page(for: question, visit, session)
    }

    private func signInPage(_ visit: Visit) async throws -> Response {
        let now = surroundings.now()
        let (place, known) = try await database.read { transaction in
            (
                try SignInPlace(visit.parked.request, path: visit.path, in: transaction),
                // Somebody is signed in, but too long ago for this app.
                try visit.visitor.sessionToken.flatMap {
                    try BrowserSession.find(token: $0, at: now, in: transaction)?.person.userName
                }
            )
        }
        return respond(
            with: offers.signInPage(
                for: place, then: visit.path, userName: visit.parked.request.loginHint ?? known ?? ""),
            visit)
    }

    private func page(
        for question: SignInQuestion, _ visit: Visit, _ session: BrowserSession, choice: SignInService.Choice? = nil,
        problems: Set<SignInService.Problem> = []
    ) async throws -> Response {
        let switchAccount = Form.signOut(then: visit.path)
        switch question {
        case .welcome(let welcome):
            if let approval = try await approvalPage(welcome, visit) { return approval }
            return respond(
                with: WelcomePage(
                    app: RequestingApp(welcome.app, welcome.team, clientID: visit.parked.request.clientID),
                    account: AccountKind(welcome.organization), person: try await signedIn(welcome.person),
                    shared: SharedWithApp(welcome, visit.parked.request.profile), decision: Form(action: visit.path),
                    switchAccount: switchAccount),
                visit)
        case .create(let welcome):
            if !welcome.isEditable, let approval = try await approvalPage(welcome, visit) { return approval }
            return respond(
                with: AccountCreationPage(
                    app: RequestingApp(welcome.app, welcome.team, clientID: visit.parked.request.clientID),
                    person: try await signedIn(welcome.person),
                    subject: subject(welcome, choice, visit.parked.request.profile),
                    problems: Set(problems.map(AccountCreationPage.Problem.init)),
                    decision: Form(action: visit.path), switchAccount: switchAccount),
                status: problems.isEmpty ? .ok : .unprocessableContent, visit)
        case .blocked(let app, let organization, let reason):
            // An account that was closed meanwhile, or an app that is gone.
            guard let organization, case .appNotListed = reason else { throw PageError.expired }
            visit.context.logger.notice("refused", metadata: ["reason": "\(reason.text)"])
            try await signIns.noteBlocked(
                session.person, from: app, reason, parked: visit.parked, origin: visit.origin)
            let (requesting, contacts) = try await database.read { transaction in
                (
                    try RequestingApp.find(visit.parked.request.clientID, in: transaction),
                    try Organization.contacts(of: organization.id, in: transaction)
                )
            }
            return respond(
                with: BlockedPage(
                    app: requesting, organization: Badge(name: organization.name, id: organization.publicID),
                    person: try await signedIn(session.person),
                    contacts: contacts.map { .init(name: $0.name, email: $0.email, role: AccountRole($0.role)) },
                    back: .deny(at: visit.path), switchAccount: switchAccount),
                status: .forbidden, visit)
        }
    }

    private func approvalPage(_ welcome: SignInQuestion.Welcome, _ visit: Visit) async throws -> Response? {
        let waiting = try await database.read { try DeviceAuthorization.find(for: visit.parked.request, in: $0) }
        guard let waiting else { return nil }
        return respond(
            with: DeviceApprovalPage(
                app: RequestingApp(welcome.app, welcome.team, clientID: visit.parked.request.clientID),
                account: AccountKind(welcome.organization), person: try await signedIn(welcome.person),
                shared: SharedWithApp(welcome, visit.parked.request.profile), userCode: waiting.userCode,
                decision: Form(action: visit.path), switchAccount: .signOut(then: visit.path)),
            visit)
    }

    private func subject(
        _ welcome: SignInQuestion.Welcome, _ choice: SignInService.Choice?, _ profile: Profile
    ) -> AccountCreationPage.Subject {
        if let organization = welcome.organization {
            return .managed(
                organization: Badge(name: organization.name, id: organization.publicID),
                shared: SharedWithApp(welcome, profile))
        }
        let existing = welcome.existing
        let name = AccountCreationPage.EditableName(
            // What was emptied stays empty, beside its complaint.
            givenName: choice.map { $0.givenName ?? "" } ?? existing?.givenName ?? welcome.person.givenName,
            familyName: choice.map { $0.familyName ?? "" } ?? existing?.familyName ?? welcome.person.familyName)
        let email = welcome.person.email.map { address in
            AccountCreationPage.EditableEmail(
                address: address, canHide: canHideEmail,
                chosen: choice?.email.map { $0 == .hide ? .hide : .share }
                    ?? existing.map { $0.hidesEmail ? .hide : .share })
        }
        return .personal(name: welcome.asksForName ? name : nil, email: welcome.asksForEmail ? email : nil)
    }

    private func signedIn(_ person: Person) async throws -> SignedInPerson {
        try await database.read { try SignedInPerson(person, in: $0) }
    }

    private func respond(
        with page: some Page, status: HTTPResponse.Status = .ok, _ visit: Visit
    ) -> Response {
        pages.respond(
            with: page, status: status, to: visit.request, visit.context, visitor: visit.visitor,
            leadsToApp: visit.parked.request.deviceHash == nil, currentPath: visit.path)
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
            // The session may have ended while the page was open: then sign in, and see the page again.
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

    /// Nil as long as a device waits, and if it is none.
    private func deviceDonePage(_ visit: Visit) async throws -> Response? {
        guard visit.parked.request.deviceHash != nil, let answer = visit.parked.answer else { return nil }
        return try await deviceDonePage(answer == .allowed ? .allowed : .denied, visit)
    }

    private func deviceDonePage(_ outcome: DeviceDonePage.Outcome, _ visit: Visit) async throws -> Response {
        respond(with: DeviceDonePage(outcome, appName: try await visit.parked.appName(in: database)), visit)
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
            }), parked.request.profile != .roster
        else { throw PageError.expired }
        return Visit(request: request, context: context, visitor: visitor, token: token, parked: parked)
    }
}

extension AccountCreationPage.Problem {
    fileprivate init(_ problem: SignInService.Problem) {
        self =
            switch problem {
            case .givenName: .givenNameMissing
            case .familyName: .familyNameMissing
            case .emailChoiceMissing: .emailChoiceMissing
            }
    }
}

extension SharedWithApp {
    /// What an app gets at this sign-in: as it was shared before, or as the directory has it.
    ///
    /// In the compatible profile that is also what it does not ask for this time: what was shared once stands in every
    /// later token.
    fileprivate init(_ welcome: SignInQuestion.Welcome, _ profile: Profile) {
        let (person, existing) = (welcome.person, welcome.existing)
        let told =
            profile == .compatible ? welcome.scopes.union(existing?.scopes ?? ScopeSet([])) : welcome.scopes
        let name = Person.fullName(
            givenName: existing?.givenName ?? person.givenName, familyName: existing?.familyName ?? person.familyName)
        let email: Email? =
            existing?.hidesEmail == true
            ? welcome.hiddenAddress.map { .hidden($0.address) } : person.email.map { .own($0) }
        self.init(
            name: told.contains(.name) ? name : nil,
            email: told.contains(.email) ? email : nil)
    }
}
