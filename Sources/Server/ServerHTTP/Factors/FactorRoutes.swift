import Accounts
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// `/sign-in/factor`, `/sign-in/set-up`, `/sign-in/reminder`: what comes between the right password, or a ticket of Kerberos,
/// and the session of a person who has, or must have, a second factor. `/sign-in/passkey`: signing in by a passkey alone.
struct FactorRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let signIn: FactorSignIn
    let notice: PasswordNotice
    let pages: PageResponder
    let offers: AccountOffers
    /// The host by which generators of codes and printed sheets name the server.
    let host: String
    /// The budget for passkeys that do not count, so that nobody fills the log with them.
    let wrongPasskeys: FailureBudget

    private static let factorPath = "/sign-in/factor"
    private static let setUpPath = "/sign-in/set-up"
    private static let reminderPath = "/sign-in/reminder"
    static let passkeyPath = "/sign-in/passkey"

    static func path(then target: String) -> String { path(factorPath, then: target) }
    static func reminderPath(then target: String) -> String { path(reminderPath, then: target) }

    private static func path(_ path: String, then target: String) -> String {
        "\(path)?continue=\(FormEncoding.escape(target))"
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("sign-in/factor", use: showFactor)
        router.post("sign-in/factor", use: takeFactor)
        router.get("sign-in/set-up", use: showSetUp)
        router.post("sign-in/set-up", use: setUp)
        router.get("sign-in/reminder", use: remind)
        guard signIn.checker.challenges != nil else { return }
        router.post("sign-in/passkey", use: takePasskey)
        router.get("passkeys/challenge", use: challenge)
        // A browser that reloads the answer to a form may send a GET here.
        router.get("sign-in/passkey") { _, _ in Response.seeOther("/") }
    }

    /// A visitor who has typed the right password or shown a ticket of Kerberos.
    private struct Visit: Sendable {
        let request: Request
        let context: AppContext
        let visitor: Visitor
        let target: LocalPath
        let pending: PendingSignIn
        let token: String
        let passkeys: [Passkey]
        let organization: Badge?

        var signIn: FactorSignIn.Visit { FactorSignIn.Visit(request, context, visitor) }
    }

    /// - Returns: nil if the password has to be typed again.
    private func visit(
        _ request: Request, _ context: AppContext, _ visitor: Visitor, then target: LocalPath
    ) async throws -> Visit? {
        guard let token = visitor.pendingToken, let pending = try await signIn.pending(token) else { return nil }
        let (passkeys, organization) = try await database.read { transaction in
            (
                try Passkey.list(of: pending.person.id, in: transaction),
                try pending.person.organizationID.flatMap { try Organization.find($0, in: transaction) }
            )
        }
        return Visit(
            request: request, context: context, visitor: visitor, target: target, pending: pending, token: token,
            passkeys: passkeys, organization: organization.map { Badge($0) })
    }

    private func respond(
        with page: some Page, status: HTTPResponse.Status, at path: String, _ visit: Visit
    ) async throws -> Response {
        let now = surroundings.now()
        let place = try await SignInPlace.find(behind: visit.target, visit.visitor, at: now, in: database)
        return pages.respond(
            with: page, status: status, to: visit.request, visit.context, visitor: visit.visitor,
            leadsToApp: place.leadsToApp, currentPath: path)
    }

    // MARK: Showing a second factor

    @Sendable private func showFactor(_ request: Request, context: AppContext) async throws -> Response {
        let target = LocalPath(try request.queryParameters()["continue"])
        guard let visit = try await visit(request, context, pages.visitor(of: request), then: target) else {
            return .seeOther(target.text)
        }
        if visit.pending.mustSetUp { return .seeOther(Self.path(Self.setUpPath, then: target.text)) }
        return try await factorPage(nil, isRecovery: try request.queryParameters()["by"] == "recovery", visit)
    }

    @Sendable private func takeFactor(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        try visitor.check(form, from: Self.path(then: target.text))
        guard let visit = try await visit(request, context, visitor, then: target) else {
            return .seeOther(AccountOffers.signInPath(then: target.text))
        }
        let outcome =
            if let assertion = try PasskeyAssertion(form) {
                try await signIn.finish(visit.token, passkey: assertion, holder: visitor.holder, visit.signIn)
            } else {
                try await signIn.finish(visit.token, code: try form["code"] ?? "", visit.signIn)
            }
        let isRecovery = try form["by"] == "recovery"
        return try await answer(outcome, visit) { try await factorPage($0, isRecovery: isRecovery, visit) }
    }

    private func answer(
        _ outcome: FactorSignIn.Outcome, _ visit: Visit, page: (FactorProblem) async throws -> Response
    ) async throws -> Response {
        switch outcome {
        case .signedIn(let person, let entry, let codes):
            // A person who began with a ticket has seen no page that named the app.
            if visit.pending.methods.contains(.password) {
                try await SignInPlace.note(entry, behind: visit.target, visit.visitor, in: database)
            }
            return try await enter(
                entry, person, showing: codes, then: visit.target, visit.request, visit.context, visit.visitor)
        case .wrongCode: return try await page(.wrongCode)
        case .refused(let refusal):
            visit.context.logger.notice("passkey refused", metadata: ["reason": "\(refusal)"])
            return try await page(FactorProblem(refusal))
        case .mustWait(let seconds):
            let minutes = (seconds + 59) / 60
            return try await page(.tooManyAttempts(minutes: minutes)).retrying(after: minutes)
        case .over, .organizationClosed: return .seeOther(AccountOffers.signInPath(then: visit.target.text))
        }
    }

    private func enter(
        _ entry: BrowserEntry, _ person: Person, showing codes: [String], then target: LocalPath, _ request: Request,
        _ context: AppContext, _ visitor: Visitor
    ) async throws -> Response {
        var response: Response
        if codes.isEmpty {
            response = .seeOther(target.text)
        } else {
            let organization = try await database.read { transaction in
                try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
            }
            response = pages.respond(
                with: RecoveryCodesPage(
                    codes: codes, host: host, userName: person.userName, organization: organization.map { Badge($0) },
                    continuePath: target.text),
                to: request, context, visitor: visitor, currentPath: target.text)
        }
        pages.admit(entry, in: &response)
        response.set(.pendingSignIn, to: "", maxAge: 0, isSecure: pages.isSecure)
        return response
    }

    private func factorPage(_ problem: FactorProblem?, isRecovery: Bool, _ visit: Visit) async throws -> Response {
        let factors = visit.pending.factors
        let isRecovery = isRecovery || !factors.hasOneTimeCodes
        let path = Self.path(then: visit.target.text)
        let way = HiddenField(name: "continue", value: visit.target.text)
        let other: String? =
            if isRecovery {
                factors.hasOneTimeCodes ? path : nil
            } else {
                factors.recoveryCodes > 0 ? "\(path)&by=recovery" : nil
            }
        return try await respond(
            with: FactorPage(
                form: Form(
                    action: Self.factorPath,
                    hiddenFields: [way] + (isRecovery ? [HiddenField(name: "by", value: "recovery")] : [])),
                field: isRecovery ? .recoveryCode : .oneTimeCode,
                passkey: .confirm(visit.passkeys, form: Form(action: Self.factorPath, hiddenFields: [way])),
                organization: visit.organization, problem: problem, otherPath: other,
                startAgainPath: AccountOffers.signInPath(then: visit.target.text)),
            status: problem == nil ? .ok : .unprocessableContent, at: path, visit)
    }

    // MARK: Setting one up

    @Sendable private func showSetUp(_ request: Request, context: AppContext) async throws -> Response {
        let target = LocalPath(try request.queryParameters()["continue"])
        guard let visit = try await visit(request, context, pages.visitor(of: request), then: target) else {
            return .seeOther(target.text)
        }
        guard visit.pending.mustSetUp else { return .seeOther(Self.path(then: target.text)) }
        return try await setUpPage(nil, try changes.newOneTimeCodeKey(for: visit.pending.person.id), visit)
    }

    private var changes: FactorChanges { FactorChanges(checker: signIn.checker) }

    @Sendable private func setUp(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        try visitor.check(form, from: Self.path(Self.setUpPath, then: target.text))
        guard let visit = try await visit(request, context, visitor, then: target) else {
            return .seeOther(AccountOffers.signInPath(then: target.text))
        }
        let sealed = try form["sealed"] ?? ""
        let factor: FactorChanges.NewFactor =
            if let registration = try PasskeyRegistration(form) {
                .passkey(registration, name: try form["passkey_name"] ?? "", holder: visitor.holder)
            } else {
                .oneTimeCodes(code: try form["code"] ?? "", sealed: sealed)
            }
        // Whoever has only the password may be a thief, so the person is told.
        let (notice, language) = (notice, visitor.language.rawValue)
        let outcome = try await signIn.finish(visit.token, settingUp: factor, visit.signIn) {
            try notice.tell(.factorsChanged, to: $0, language, in: $1)
        }
        let person = visit.pending.person.id
        return try await answer(outcome, visit) { problem in
            // With the same secret, so that a generator that has it already keeps it.
            let key = try changes.oneTimeCodeKey(sealed, for: person) ?? changes.newOneTimeCodeKey(for: person)
            return try await setUpPage(problem, key, visit)
        }
    }

    private func setUpPage(
        _ problem: FactorProblem?, _ key: NewOneTimeCodeKey, _ visit: Visit
    ) async throws -> Response {
        let person = visit.pending.person
        let way = HiddenField(name: "continue", value: visit.target.text)
        let passkey = signIn.checker.challenges.map {
            PasskeyForm.add(
                for: person, known: visit.passkeys, challenges: $0,
                form: Form(action: Self.setUpPath, hiddenFields: [way]))
        }
        return try await respond(
            with: OneTimeCodesPage(
                form: Form(
                    action: Self.setUpPath, hiddenFields: [way, HiddenField(name: "sealed", value: key.sealed)]),
                address: OneTimeCode.address(of: key.secret, account: person.userName, issuer: host),
                secret: OneTimeCode.text(of: key.secret), organization: visit.organization,
                reason: .required(passkey, startAgainPath: AccountOffers.signInPath(then: visit.target.text)),
                problem: problem),
            status: problem == nil ? .ok : .unprocessableContent,
            at: Self.path(Self.setUpPath, then: visit.target.text), visit)
    }

    /// Says until when a second factor has to be set up. The person is signed in, and may go on.
    @Sendable private func remind(_ request: Request, context: AppContext) async throws -> Response {
        let target = LocalPath(try request.queryParameters()["continue"])
        let visitor = pages.visitor(of: request)
        guard let session = try await sessions.session(of: visitor) else { return .seeOther(target.text) }
        let now = surroundings.now()
        let (due, organization) = try await database.read { transaction in
            (
                try FactorRule.dueDate(for: session.person, at: now, in: transaction),
                try session.person.organizationID.flatMap { try Organization.find($0, in: transaction) }
            )
        }
        guard let due, let organization else { return .seeOther(target.text) }
        return pages.respond(
            with: FactorReminderPage(
                organization: Badge(organization), dueDay: due, setUpPath: SignInWayRoutes.path, laterPath: target.text),
            to: request, context, visitor: visitor, currentPath: Self.reminderPath(then: target.text))
    }

    // MARK: A passkey alone

    /// A challenge for the script of a page. It is bound to the browser and its session, and nothing is stored.
    @Sendable private func challenge(_ request: Request, context: AppContext) async throws -> Response {
        guard let challenges = signIn.checker.challenges else { throw PageError.notFound }
        let visitor = pages.visitor(of: request)
        var response = try Response.json([
            "challenge": challenges.make(for: visitor.holder, at: surroundings.now(), from: surroundings)
        ])
        pages.welcome(visitor, in: &response)
        return response
    }

    @Sendable private func takePasskey(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        try visitor.check(form, from: target.text)
        let address = AddressBlock(context.remoteAddress)
        do {
            try wrongPasskeys.take(address)
        } catch let exhausted as FailureBudget.Exhausted {
            let minutes = (exhausted.seconds(from: surroundings.now()) + 59) / 60
            return try await signInPage(.tooManyAttempts(minutes: minutes), target, request, context, visitor)
                .retrying(after: minutes)
        }
        guard let assertion = try PasskeyAssertion(form) else {
            return try await signInPage(.passkey, target, request, context, visitor)
        }
        switch try await signIn.signIn(
            by: assertion, holder: visitor.holder, FactorSignIn.Visit(request, context, visitor))
        {
        case .signedIn(let person, let entry, _):
            wrongPasskeys.giveBack(1, to: address)
            try await SignInPlace.note(entry, behind: target, visitor, in: database)
            return try await enter(entry, person, showing: [], then: target, request, context, visitor)
        case .organizationClosed(let name):
            return try await signInPage(.organizationClosed(name: name), target, request, context, visitor)
        case .refused(let refusal):
            context.logger.notice("passkey refused", metadata: ["reason": "\(refusal)"])
            return try await signInPage(.passkey, target, request, context, visitor)
        case .wrongCode, .mustWait, .over:
            return try await signInPage(.passkey, target, request, context, visitor)
        }
    }

    private func signInPage(
        _ problem: SignInPage.Problem, _ target: LocalPath, _ request: Request, _ context: AppContext,
        _ visitor: Visitor
    ) async throws -> Response {
        let now = surroundings.now()
        let place = try await SignInPlace.find(behind: target, visitor, at: now, in: database)
        return pages.respond(
            with: offers.signInPage(for: place, then: target.text, problem: problem, to: visitor),
            status: .unprocessableContent, to: request, context, visitor: visitor, leadsToApp: place.leadsToApp,
            currentPath: target.text)
    }
}

extension FactorSignIn.Visit {
    init(_ request: Request, _ context: AppContext, _ visitor: Visitor) {
        self.init(
            userAgent: request.headers[.userAgent], sessionToken: visitor.sessionToken,
            knownBrowser: visitor.knownBrowser, origin: .request(context))
    }
}
