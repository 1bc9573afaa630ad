import Accounts
import Authorization
import Directory
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account/name`, `/account/email`, `/account/delete`: how the owner of a personal account changes or deletes it.
/// Managed accounts do not have these pages.
struct AccountDetailsRoutes: Sendable {
    let database: any Database
    let accounts: PersonalAccounts
    let confirmation: PasswordConfirmation
    let door: AccountDoor
    /// Whether mail can be sent, and so a new address verified.
    let canChangeEmail: Bool

    static let namePath = "/account/name"
    static let emailPath = "/account/email"
    static let deletePath = "/account/delete"

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/name", use: showName)
        router.post("account/name", use: rename)
        router.get("account/delete", use: showDeletion)
        router.post("account/delete", use: delete)
        guard canChangeEmail else { return }
        router.get("account/email", use: showEmail)
        router.post("account/email", use: changeEmail)
    }

    private func owner(_ visit: AccountDoor.Visit) throws -> Person {
        guard visit.person.organizationID == nil else { throw PageError.notFound }
        return visit.person
    }

    // MARK: Name

    @Sendable private func showName(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, at: Self.namePath) { visit in
            let person = try owner(visit)
            return namePage(person.givenName, person.familyName, [], visit)
        }
    }

    @Sendable private func rename(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: Self.namePath) { visit, form in
            _ = try owner(visit)
            let (givenName, familyName) = (try form["given_name"] ?? "", try form["family_name"] ?? "")
            let outcome = try await accounts.rename(
                in: visit.session, givenName: givenName, familyName: familyName, origin: visit.origin)
            switch outcome {
            case .renamed: return .seeOther(AccountRoutes.path(noting: .name))
            case .refused(let problems):
                return namePage(givenName, familyName, Set(problems.map(EditNamePage.Problem.init)), visit)
            case .notAllowed: return .seeOther(Self.namePath)
            }
        }
    }

    private func namePage(
        _ givenName: String, _ familyName: String, _ problems: Set<EditNamePage.Problem>, _ visit: AccountDoor.Visit
    ) -> Response {
        door.respond(
            with: EditNamePage(
                form: Form(action: Self.namePath), givenName: givenName, familyName: familyName, problems: problems,
                cancelPath: AccountRoutes.path),
            status: problems.isEmpty ? .ok : .unprocessableContent, at: Self.namePath, visit)
    }

    // MARK: Email address

    @Sendable private func showEmail(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, at: Self.emailPath) { visit in
            emailPage("", nil, try owner(visit), visit)
        }
    }

    @Sendable private func changeEmail(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: Self.emailPath) { visit, form in
            let person = try owner(visit)
            let email = try form["email"] ?? ""
            if let problem = try await accounts.emailProblem(email, in: visit.session) {
                return emailPage(email, ChangeEmailPage.Problem(problem), person, visit)
            }
            do {
                return try await changeEmail(to: email, visit, form, person)
            } catch is PasswordHasher.Overloaded {
                return emailPage(email, .busy, person, visit).whileBusy()
            }
        }
    }

    private func changeEmail(
        to email: String, _ visit: AccountDoor.Visit, _ form: RequestParameters, _ person: Person
    ) async throws -> Response {
        switch try await confirmation.confirm(try form["current_password"] ?? "", in: visit.session) {
        case .confirmed: break
        case .wrong: return emailPage(email, .wrongPassword, person, visit)
        case .mustWait(let minutes):
            return emailPage(email, .tooManyAttempts(minutes: minutes), person, visit).retrying(after: minutes)
        case .sessionEnded: return .seeOther(Self.emailPath)
        }
        let outcome = try await accounts.askToChangeEmail(
            in: visit.session, to: email, then: AccountRoutes.path,
            PersonalAccounts.Visit(visit.request, visit.context, visit.visitor))
        switch outcome {
        case .asked(let token): return .seeOther(VerifyEmailRoutes.path(of: token.text))
        case .refused(let problems):
            return emailPage(email, problems.first.map(ChangeEmailPage.Problem.init), person, visit)
        case .mustWait(let minutes):
            return emailPage(email, .tooManyAttempts(minutes: minutes), person, visit).retrying(after: minutes)
        case .sessionEnded: return .seeOther(Self.emailPath)
        }
    }

    private func emailPage(
        _ email: String, _ problem: ChangeEmailPage.Problem?, _ person: Person, _ visit: AccountDoor.Visit
    ) -> Response {
        door.respond(
            with: ChangeEmailPage(
                form: Form(action: Self.emailPath), currentEmail: person.email ?? person.userName, email: email,
                problem: problem, cancelPath: AccountRoutes.path),
            status: problem == nil ? .ok : .unprocessableContent, at: Self.emailPath, visit)
    }

    // MARK: Deletion

    @Sendable private func showDeletion(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, at: Self.deletePath) { try await deletionPage("", nil, $0) }
    }

    @Sendable private func delete(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: Self.deletePath) { visit, form in
            let person = try owner(visit)
            let typed = try form["confirmation"] ?? ""
            // Checked first, so that a typing mistake does not use up an attempt at the password.
            guard PersonalAccounts.confirms(typed, deletionOf: person) else {
                return try await deletionPage(typed, .doesNotMatch, visit)
            }
            switch try await confirmation.confirm(try form["current_password"] ?? "", in: visit.session) {
            case .confirmed: break
            case .wrong: return try await deletionPage(typed, .wrongPassword, visit)
            case .mustWait(let minutes):
                return try await deletionPage(typed, .tooManyAttempts(minutes: minutes), visit)
                    .retrying(after: minutes)
            case .sessionEnded: return .seeOther(Self.deletePath)
            }
            switch try await accounts.delete(in: visit.session, confirmation: typed, origin: visit.origin) {
            case .deleted:
                var response = Response.seeOther("/signed-out")
                response.set(.session, to: "", maxAge: 0, isSecure: door.pages.isSecure)
                return response
            case .doesNotMatch: return try await deletionPage(typed, .doesNotMatch, visit)
            case .notAllowed: return .seeOther(Self.deletePath)
            }
        }
    }

    private func deletionPage(
        _ confirmation: String, _ problem: DeleteAccountPage.Problem?, _ visit: AccountDoor.Visit
    ) async throws -> Response {
        let person = try owner(visit)
        let count = try await database.read { try SignInConsent.list(of: person.id, in: $0).count }
        return door.respond(
            with: DeleteAccountPage(
                form: Form(action: Self.deletePath), email: PersonalAccounts.confirmation(of: person), appCount: count,
                confirmation: confirmation, problem: problem, cancelPath: AccountRoutes.path),
            status: problem == nil ? .ok : .unprocessableContent, at: Self.deletePath, visit)
    }
}

extension EditNamePage.Problem {
    fileprivate init(_ problem: PersonalAccounts.NameProblem) {
        self =
            switch problem {
            case .givenName: .givenNameMissing
            case .familyName: .familyNameMissing
            }
    }
}

extension ChangeEmailPage.Problem {
    fileprivate init(_ problem: PersonalAccounts.EmailProblem) {
        self =
            switch problem {
            case .email: .emailMissing
            case .emailOfOrganization: .emailOfOrganization
            case .unchanged: .unchanged
            }
    }
}
