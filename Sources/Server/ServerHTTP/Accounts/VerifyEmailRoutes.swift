import Accounts
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/verify-email/…`: enter the code that went to an address, for a new account, a forgotten password or a new address.
struct VerifyEmailRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let accounts: PersonalAccounts
    let pages: PageResponder

    static func path(of token: String) -> String { "/verify-email/\(token)" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("verify-email/{challenge}", use: show)
        router.post("verify-email/{challenge}", use: enter)
        router.post("verify-email/{challenge}/again", use: sendAgain)
        // A browser that reloads the answer to a form may send a GET here.
        router.get("verify-email/{challenge}/again") { _, context in
            Response.seeOther(Self.path(of: context.parameters.get("challenge") ?? ""))
        }
    }

    /// The challenge of a page, in the browser that asked for it.
    private struct Page: Sendable {
        let request: Request
        let context: AppContext
        let visitor: Visitor
        let token: String
        let challenge: EmailChallenge

        var path: String { VerifyEmailRoutes.path(of: token) }
        var visit: PersonalAccounts.Visit { PersonalAccounts.Visit(request, context, visitor) }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let page = try await page(request, context, pages.visitor(of: request))
        if page.challenge.verifiedAt != nil { return .seeOther(ForgotPasswordRoutes.path(of: page.token)) }
        let isOpen = page.challenge.isOpen(at: surroundings.now())
        let isSentAgain = try request.queryParameters()["sent"] == "again"
        return try await respond(page, problem: isOpen ? nil : .expired, isSentAgain: isSentAgain)
    }

    @Sendable private func enter(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form)
        let page = try await page(request, context, visitor)
        let entry: PersonalAccounts.Entry
        do {
            entry = try await accounts.enter(try form["code"] ?? "", for: page.challenge, page.visit)
        } catch is PasswordHasher.Overloaded {
            return try await respond(page, problem: .busy).whileBusy()
        }
        switch entry {
        case .signedUp(let session, let target):
            try await SignInPlace.note(session, behind: LocalPath(target), visitor, in: database)
            return pages.enter(session, then: target)
        case .mayChoosePassword: return .seeOther(ForgotPasswordRoutes.path(of: page.token))
        case .emailChanged: return .seeOther(AccountRoutes.path(noting: .email))
        case .wrong(let left): return try await respond(page, problem: .wrongCode(attemptsLeft: left))
        case .sessionEnded: return .seeOther(AccountOffers.signInPath(then: page.path))
        case .expired: return try await respond(page, problem: .expired)
        }
    }

    @Sendable private func sendAgain(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form)
        let page = try await page(request, context, visitor)
        let renewal: PersonalAccounts.Renewal
        do {
            renewal = try await accounts.renew(page.challenge, page.visit)
        } catch is PasswordHasher.Overloaded {
            return try await respond(page, problem: .busy).whileBusy()
        }
        switch renewal {
        case .sent: return .seeOther("\(page.path)?sent=again")
        case .mustWait(let minutes):
            return try await respond(page, problem: .tooManyAttempts(minutes: minutes)).retrying(after: minutes)
        case .done: throw PageError.expired
        }
    }

    private func page(_ request: Request, _ context: AppContext, _ visitor: Visitor) async throws -> Page {
        guard let token = context.parameters.get("challenge") else { throw PageError.notFound }
        let visit = PersonalAccounts.Visit(request, context, visitor)
        guard let challenge = try await accounts.challenge(token, visit) else { throw PageError.expired }
        return Page(request: request, context: context, visitor: visitor, token: token, challenge: challenge)
    }

    private func respond(
        _ page: Page, problem: VerifyEmailPage.Problem?, isSentAgain: Bool = false
    ) async throws -> Response {
        let now = surroundings.now()
        let target = LocalPath(page.challenge.target)
        let place = try await SignInPlace.find(behind: target, page.visitor, at: now, in: database)
        return pages.respond(
            with: VerifyEmailPage(
                form: Form(action: page.path), purpose: VerifyEmailPage.Purpose(page.challenge.purpose),
                email: page.challenge.email, problem: problem, sendAgain: Form(action: "\(page.path)/again"),
                isSentAgain: isSentAgain, startAgainPath: page.challenge.startAgainPath),
            status: problem == nil ? .ok : .unprocessableContent, to: page.request, page.context, visitor: page.visitor,
            leadsToApp: place.leadsToApp, currentPath: page.path)
    }
}

extension EmailChallenge {
    fileprivate var startAgainPath: String {
        switch purpose {
        case .signUp: AccountOffers.signUpPath(then: target)
        case .resetPassword: AccountOffers.forgotPasswordPath(then: target)
        case .changeEmail: AccountDetailsRoutes.emailPath
        }
    }
}

extension VerifyEmailPage.Purpose {
    fileprivate init(_ purpose: EmailChallenge.Purpose) {
        self =
            switch purpose {
            case .signUp: .signUp
            case .resetPassword: .resetPassword
            case .changeEmail: .changeEmail
            }
    }
}
