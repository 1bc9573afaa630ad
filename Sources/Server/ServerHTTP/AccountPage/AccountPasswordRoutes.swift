import Accounts
import Authorization
import Directory
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account/password`: the person who is signed in changes the password, giving the current one.
struct AccountPasswordRoutes: Sendable {
    let database: any Database
    let confirmation: PasswordConfirmation
    let signIn: PasswordSignIn
    let notice: PasswordNotice
    let door: AccountDoor

    static let path = "/account/password"

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/password", use: show)
        router.post("account/password", use: change)
        // The path that password managers use. W3C, A Well-Known URL for Changing Passwords.
        router.get(".well-known/change-password") { _, _ in Response.seeOther(Self.path) }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, at: Self.path) { try await page(nil, $0) }
    }

    @Sendable private func change(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: Self.path) { visit, form in
            do {
                return try await change(visit, form)
            } catch is PasswordHasher.Overloaded {
                return try await page(.busy, visit).whileBusy()
            }
        }
    }

    private func change(_ visit: AccountDoor.Visit, _ form: RequestParameters) async throws -> Response {
        switch try await confirmation.confirm(try form["current_password"] ?? "", in: visit.session) {
        case .confirmed: break
        case .wrong: return try await page(.wrongCurrentPassword, visit)
        case .mustWait(let minutes):
            return try await page(.tooManyAttempts(minutes: minutes), visit).retrying(after: minutes)
        case .sessionEnded: return .seeOther(Self.path)
        }
        let (notice, language) = (notice, visit.visitor.language.rawValue)
        let outcome = try await signIn.change(
            in: visit.session, to: try form["new_password"] ?? "", userAgent: visit.request.headers[.userAgent],
            knownBrowser: visit.visitor.knownBrowser, origin: visit.origin
        ) { try notice.tell(.passwordChanged, to: $0, language, in: $1) }
        switch outcome {
        case .changed(let session): return door.pages.enter(session, then: AccountRoutes.path(noting: .password))
        case .refused(let problem): return try await page(.refused(PasswordAdvice(problem)), visit)
        case .unchanged: return try await page(.unchanged, visit)
        case .sessionEnded: return .seeOther(Self.path)
        }
    }

    private func page(
        _ problem: ChangePasswordPage.Problem?, _ visit: AccountDoor.Visit
    ) async throws -> Response {
        let (person, now) = (visit.person, door.pages.surroundings.now())
        let (account, signedIn, policy) = try await database.read { transaction in
            (
                try AccountKind(of: person, in: transaction), try SignedInPerson(person, at: now, in: transaction),
                try PasswordPolicy.effective(for: person, in: transaction)
            )
        }
        return door.respond(
            with: ChangePasswordPage(
                form: Form(action: Self.path), person: signedIn, account: account,
                policy: PasswordRule(policy), reason: .chosen(cancelPath: AccountRoutes.path),
                problem: problem),
            status: problem == nil ? .ok : .unprocessableContent, at: Self.path, visit)
    }
}
