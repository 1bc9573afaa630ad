import Accounts
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/forgot-password`: request a code; `/forgot-password/…`: choose a new password after it was entered.
struct ForgotPasswordRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let accounts: PersonalAccounts
    let pages: PageResponder

    static func path(of token: String) -> String { "/forgot-password/\(token)" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("forgot-password", use: show)
        router.post("forgot-password", use: ask)
        router.get("forgot-password/{challenge}", use: showNew)
        router.post("forgot-password/{challenge}", use: replace)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let target = LocalPath(try request.queryParameters()["continue"])
        return page("", nil, then: target, request, context, pages.visitor(of: request))
    }

    @Sendable private func ask(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        try visitor.check(form, from: AccountOffers.forgotPasswordPath(then: target.text))
        let email = try form["email"] ?? ""
        let outcome: PersonalAccounts.Asking<PersonalAccounts.AddressProblem>
        do {
            outcome = try await accounts.forgotPassword(
                email: email, then: target.text, PersonalAccounts.Visit(request, context, visitor))
        } catch is PasswordHasher.Overloaded {
            return page(email, .busy, then: target, request, context, visitor).whileBusy()
        }
        switch outcome {
        case .asked(let token): return .seeOther(VerifyEmailRoutes.path(of: token.text))
        case .refused: return page(email, .emailMissing, then: target, request, context, visitor)
        case .mustWait(let minutes):
            return page(email, .tooManyAttempts(minutes: minutes), then: target, request, context, visitor)
                .retrying(after: minutes)
        case .sessionEnded: throw PageError.expired
        }
    }

    private func page(
        _ email: String, _ problem: ForgotPasswordPage.Problem?, then target: LocalPath, _ request: Request,
        _ context: AppContext, _ visitor: Visitor
    ) -> Response {
        pages.respond(
            with: ForgotPasswordPage(
                form: Form(
                    action: "/forgot-password", hiddenFields: [HiddenField(name: "continue", value: target.text)]),
                email: email, problem: problem, signInPath: AccountOffers.signInPath(then: target.text)),
            status: problem == nil ? .ok : .unprocessableContent, to: request, context, visitor: visitor,
            currentPath: AccountOffers.forgotPasswordPath(then: target.text))
    }

    // MARK: The new password

    @Sendable private func showNew(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let (token, challenge) = try await verified(request, context, visitor)
        return try await newPasswordPage(challenge, token, problem: nil, request, context, visitor)
    }

    @Sendable private func replace(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form)
        let (token, challenge) = try await verified(request, context, visitor)
        let outcome: PersonalAccounts.Replacement
        do {
            outcome = try await accounts.replacePassword(
                by: try form["new_password"] ?? "", for: challenge, PersonalAccounts.Visit(request, context, visitor))
        } catch is PasswordHasher.Overloaded {
            return try await newPasswordPage(challenge, token, problem: .busy, request, context, visitor).whileBusy()
        }
        switch outcome {
        case .replaced(let session, let target):
            try await SignInPlace.note(session, behind: LocalPath(target), visitor, in: database)
            return pages.enter(session, then: target)
        case .needsFactor(let pending, let target): return pages.askForFactor(pending, then: target)
        case .refused(let problem):
            return try await newPasswordPage(
                challenge, token, problem: .refused(PasswordAdvice(problem)), request, context, visitor)
        case .expired: throw PageError.expired
        }
    }

    /// The challenge, if its code was entered.
    private func verified(
        _ request: Request, _ context: AppContext, _ visitor: Visitor
    ) async throws -> (token: String, EmailChallenge) {
        guard let token = context.parameters.get("challenge") else { throw PageError.notFound }
        let visit = PersonalAccounts.Visit(request, context, visitor)
        guard let challenge = try await accounts.challenge(token, visit), challenge.verifiedAt != nil,
            challenge.expiresAt > surroundings.now()
        else { throw PageError.expired }
        return (token, challenge)
    }

    private func newPasswordPage(
        _ challenge: EmailChallenge, _ token: String, problem: NewPasswordPage.Problem?, _ request: Request,
        _ context: AppContext, _ visitor: Visitor
    ) async throws -> Response {
        guard let userName = try await accounts.userName(for: challenge) else { throw PageError.expired }
        let now = surroundings.now()
        let target = LocalPath(challenge.target)
        // For an app that knows the person, the form leads straight to the app.
        let place = try await SignInPlace.find(behind: target, visitor, at: now, in: database)
        return pages.respond(
            with: NewPasswordPage(
                form: Form(action: Self.path(of: token)), userName: userName, problem: problem),
            status: problem == nil ? .ok : .unprocessableContent, to: request, context, visitor: visitor,
            leadsToApp: place.leadsToApp, currentPath: Self.path(of: token))
    }
}
