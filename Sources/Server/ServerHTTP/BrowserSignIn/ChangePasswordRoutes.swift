import Accounts
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/change-password`: a person who has signed in with a temporary password chooses their own.
struct ChangePasswordRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let signIn: PasswordSignIn
    let notice: PasswordNotice
    let pages: PageResponder

    static func path(then target: String) -> String {
        "/change-password?continue=\(FormEncoding.escape(target))"
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("change-password", use: show)
        router.post("change-password", use: change)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let target = LocalPath(try request.queryParameters()["continue"])
        guard let session = try await sessions.session(of: visitor), session.mustChangePassword else {
            return .seeOther(target.text)
        }
        return try await page(for: session.person, then: target, problem: nil, request, context, visitor)
    }

    @Sendable private func change(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        try visitor.check(form, from: Self.path(then: target.text))
        guard let session = try await sessions.session(of: visitor) else { return .seeOther(target.text) }
        // Only for temporary passwords. Other passwords are changed on the account page, where the current one has to
        // be entered.
        guard session.mustChangePassword else { return .seeOther(target.text) }
        let person = session.person
        let (notice, language) = (notice, visitor.language.rawValue)
        let outcome: PasswordSignIn.ChangeOutcome
        do {
            outcome = try await signIn.change(
                in: session, to: try form["new_password"] ?? "", userAgent: request.headers[.userAgent],
                knownBrowser: visitor.knownBrowser, origin: .request(context)
            ) { try notice.tell(.passwordChanged, to: $0, language, in: $1) }
        } catch is PasswordHasher.Overloaded {
            return try await page(for: person, then: target, problem: .busy, request, context, visitor).whileBusy()
        }
        switch outcome {
        case .changed(let session):
            try await SignInPlace.note(session, behind: target, visitor, in: database)
            return pages.enter(session, then: target.text)
        case .sessionEnded:
            return .seeOther(target.text)
        case .refused(let problem):
            return try await page(
                for: person, then: target, problem: .refused(PasswordAdvice(problem)), request, context,
                visitor)
        case .unchanged:
            return try await page(for: person, then: target, problem: .sameAsTemporary, request, context, visitor)
        }
    }

    private func page(
        for person: Person, then target: LocalPath, problem: ChangePasswordPage.Problem?, _ request: Request,
        _ context: AppContext, _ visitor: Visitor
    ) async throws -> Response {
        let now = surroundings.now()
        let (account, signedIn, policy) = try await database.read { transaction in
            (
                try AccountKind(of: person, in: transaction), try SignedInPerson(person, at: now, in: transaction),
                try PasswordPolicy.effective(for: person, in: transaction)
            )
        }
        // For an app that knows the person, the form leads straight to the app.
        let place = try await SignInPlace.find(behind: target, visitor, at: now, in: database)
        return pages.respond(
            with: ChangePasswordPage(
                form: Form(
                    action: "/change-password", hiddenFields: [HiddenField(name: "continue", value: target.text)]),
                person: signedIn, account: account, policy: PasswordRule(policy),
                reason: .temporary(switchAccount: .signOut(then: target.text)), problem: problem),
            status: problem == nil ? .ok : .unprocessableContent, to: request, context, visitor: visitor,
            leadsToApp: place.leadsToApp, currentPath: Self.path(then: target.text))
    }
}
