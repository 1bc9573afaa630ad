import Accounts
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/sign-up`: make a personal account. The code that is sent is entered at ``VerifyEmailRoutes``.
struct SignUpRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let accounts: PersonalAccounts
    let pages: PageResponder

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("sign-up", use: show)
        router.post("sign-up", use: signUp)
    }

    private struct Input {
        var givenName = ""
        var familyName = ""
        var email = ""
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let target = LocalPath(try request.queryParameters()["continue"])
        return try await page(Input(), [], then: target, request, context, pages.visitor(of: request))
    }

    @Sendable private func signUp(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        try visitor.check(form, from: AccountOffers.signUpPath(then: target.text))
        let input = Input(
            givenName: try form["given_name"] ?? "", familyName: try form["family_name"] ?? "",
            email: try form["email"] ?? "")
        let application = PersonalAccounts.Application(
            givenName: input.givenName, familyName: input.familyName, email: input.email,
            password: try form["new_password"] ?? "", target: target.text)
        let outcome: PersonalAccounts.Asking<PersonalAccounts.ApplicationProblem>
        do {
            outcome = try await accounts.signUp(application, PersonalAccounts.Visit(request, context, visitor))
        } catch is PasswordHasher.Overloaded {
            return try await page(input, [.busy], then: target, request, context, visitor).whileBusy()
        }
        switch outcome {
        case .asked(let token): return .seeOther(VerifyEmailRoutes.path(of: token.text))
        case .refused(let problems):
            return try await page(
                input, Set(problems.map(SignUpPage.Problem.init)), then: target, request, context, visitor)
        case .mustWait(let minutes):
            return try await page(
                input, [.tooManyAttempts(minutes: minutes)], then: target, request, context, visitor
            ).retrying(after: minutes)
        case .sessionEnded: throw PageError.expired
        }
    }

    private func page(
        _ input: Input, _ problems: Set<SignUpPage.Problem>, then target: LocalPath, _ request: Request,
        _ context: AppContext, _ visitor: Visitor
    ) async throws -> Response {
        let now = surroundings.now()
        let place = try await SignInPlace.find(behind: target, visitor, at: now, in: database)
        let app: RequestingApp? = if case .signingIn(let app) = place.purpose { app } else { nil }
        return pages.respond(
            with: SignUpPage(
                form: Form(
                    action: "/sign-up", hiddenFields: [HiddenField(name: "continue", value: target.text)]),
                app: app, givenName: input.givenName, familyName: input.familyName, email: input.email,
                problems: problems, signInPath: AccountOffers.signInPath(then: target.text)),
            status: problems.isEmpty ? .ok : .unprocessableContent, to: request, context, visitor: visitor,
            currentPath: AccountOffers.signUpPath(then: target.text))
    }
}

extension SignUpPage.Problem {
    fileprivate init(_ problem: PersonalAccounts.ApplicationProblem) {
        self =
            switch problem {
            case .givenName: .givenNameMissing
            case .familyName: .familyNameMissing
            case .email: .emailMissing
            case .emailOfOrganization: .emailOfOrganization
            case .password(let problem): .password(PasswordAdvice(problem))
            }
    }
}
