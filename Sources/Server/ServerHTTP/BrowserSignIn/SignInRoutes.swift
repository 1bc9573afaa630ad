import Administration
import Authorization
import ConsolePages
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// Sign-in, sign-out, the start page and the language switch.
struct SignInRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let signIn: PasswordSignIn
    let pages: PageResponder
    let offers: AccountOffers
    let account: AccountRoutes

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("/", use: home)
        router.get("sign-in", use: showSignIn)
        router.post("sign-in", use: signIn)
        router.post("sign-out", use: signOut)
        router.get("signed-out", use: signedOut)
        router.post("language", use: setLanguage)
        // A browser that reloads the answer to a form may send a GET here.
        for path in ["sign-out", "language"] as [RouterPath] {
            router.get(path) { _, _ in Response.seeOther("/") }
        }
    }

    @Sendable private func home(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        guard let session = try await sessions.session(of: visitor) else {
            return try await signInPage(for: LocalPath("/"), request, context, visitor)
        }
        if session.mustChangePassword { return .seeOther(ChangePasswordRoutes.path(then: "/")) }
        // Whoever looks after something begins there.
        let now = surroundings.now()
        if try await database.read({ try Authority.looksAfterSomething(session.person, at: now, in: $0) }) {
            return .seeOther(ConsoleSection.home.path)
        }
        return try await account.page(
            AccountDoor.Visit(request: request, context: context, visitor: visitor, session: session))
    }

    @Sendable private func showSignIn(_ request: Request, context: AppContext) async throws -> Response {
        let target = LocalPath(try request.queryParameters()["continue"])
        let visitor = pages.visitor(of: request)
        // A person who is signed in does not need this page. If their session is not good enough for the next page,
        // that one asks again.
        if let session = try await sessions.session(of: visitor) {
            return .seeOther(
                session.mustChangePassword ? ChangePasswordRoutes.path(then: target.text) : target.text)
        }
        return try await signInPage(for: target, request, context, visitor)
    }

    @Sendable private func signIn(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        // If the person has signed in in another tab, they go on; otherwise they see this page again.
        try visitor.check(form, from: target.text)
        var userName = try form["username"] ?? ""
        let problem: SignInPage.Problem
        var answer = (status: HTTPResponse.Status.unprocessableContent, retryAfter: Int?.none)
        do {
            let outcome = try await signIn.signIn(
                userName: userName.trimmingCharacters(in: .whitespacesAndNewlines),
                password: try form["password"] ?? "", userAgent: request.headers[.userAgent],
                replacing: visitor.sessionToken, knownBrowser: visitor.knownBrowser, origin: .request(context))
            switch outcome {
            case .signedIn(let person, let entry):
                try await SignInPlace.note(entry, behind: target, visitor, in: database)
                // Whoever must have a second factor, and has none yet, is told until when.
                let now = surroundings.now()
                let isReminded =
                    try await database.read { try FactorRule.dueDate(for: person, at: now, in: $0) } != nil
                return pages.enter(entry, then: isReminded ? FactorRoutes.reminderPath(then: target.text) : target.text)
            case .needsFactor(let pending): return pages.askForFactor(pending, then: target.text)
            case .mustChangePassword(_, let session):
                return pages.enter(session, then: ChangePasswordRoutes.path(then: target.text))
            case .temporaryPasswordExpired: problem = .temporaryPasswordExpired
            case .renamed(let current):
                problem = .renamed(userName: current)
                userName = current
            case .organizationClosed(let name): problem = .organizationClosed(name: name)
            case .refused: problem = .wrongPassword
            case .mustWait(let seconds):
                problem = .tooManyAttempts(minutes: (seconds + 59) / 60)
                answer = (.tooManyRequests, seconds)
            }
        } catch is PasswordHasher.Overloaded {
            problem = .busy
        }
        var response = try await signInPage(
            for: target, userName: userName, problem: problem, status: answer.status, request, context, visitor)
        if let seconds = answer.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return problem == .busy ? response.whileBusy() : response
    }

    private func signInPage(
        for target: LocalPath, userName: String = "", problem: SignInPage.Problem? = nil,
        status: HTTPResponse.Status = .ok, _ request: Request, _ context: AppContext, _ visitor: Visitor
    ) async throws -> Response {
        let now = surroundings.now()
        let place = try await SignInPlace.find(behind: target, visitor, at: now, in: database)
        if let address = offers.ticketAddress(then: target.text, at: place, request, context, visitor) {
            var response = Response.seeOther(address)
            pages.welcome(visitor, in: &response)
            return response
        }
        return pages.respond(
            with: offers.signInPage(
                for: place, then: target.text, userName: userName, problem: problem, to: visitor),
            status: status, to: request, context, visitor: visitor, leadsToApp: place.leadsToApp,
            currentPath: problem == nil ? nil : target.text)
    }

    @Sendable private func signOut(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        try visitor.check(form, from: target.text)
        try await sessions.end(visitor, origin: .request(context))
        var response = Response.seeOther(target.text)
        pages.leave(visitor, in: &response)
        return response
    }

    @Sendable private func signedOut(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        // The form of an outdated page may lead here although the person is still signed in.
        guard try await sessions.session(of: visitor) == nil else { return .seeOther("/") }
        return pages.respond(with: SignedOutPage(signInPath: "/"), to: request, context, visitor: visitor)
    }

    @Sendable private func setLanguage(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["return_to"])
        try visitor.check(form, from: target.text)
        guard let language = try form["language"].flatMap(Language.init(rawValue:)) else { throw PageError.notFound }
        // The choice is stored, because apps that ask are told the person's language (`locale`).
        if let session = try await sessions.session(of: visitor) {
            try await database.write {
                try Person.put(language: language.rawValue, of: session.person.id, in: $0)
            }
        }
        let carried = try form["carried"].flatMap(FormEncoding.decode).map(Carried.init)
        var response = carried.map { pages.lead(to: target.text, carrying: $0) } ?? .seeOther(target.text)
        response.set(.language, to: language.rawValue, maxAge: 365 * 86_400, isSecure: pages.isSecure)
        return response
    }
}
