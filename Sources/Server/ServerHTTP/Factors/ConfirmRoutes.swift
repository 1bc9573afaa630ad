import Authorization
import Directory
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// `/confirm`: a signed-in person shows again who they are, before what somebody with a borrowed browser must not do.
struct ConfirmRoutes: Sendable {
    let database: any Database
    let password: PasswordConfirmation
    let factors: FactorConfirmation
    let door: AccountDoor

    private static let prefix = "/confirm"

    static func path(then target: String) -> String { "\(prefix)?continue=\(FormEncoding.escape(target))" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("confirm", use: show)
        router.post("confirm", use: confirm)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let target = LocalPath(try request.queryParameters()["continue"])
        let isRecovery = try request.queryParameters()["by"] == "recovery"
        return try await door.open(request, context, at: Self.path(then: target.text)) { visit in
            if try await door.sessions.isFresh(visit.session) { return .seeOther(target.text) }
            return try await page(nil, isRecovery: isRecovery, then: target, visit)
        }
    }

    @Sendable private func confirm(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = door.pages.visitor(of: request)
        let form = try await request.formParameters(context)
        let target = LocalPath(try form["continue"])
        let path = Self.path(then: target.text)
        try visitor.check(form, from: path)
        let isRecovery = try form["by"] == "recovery"
        return try await door.open(request, context, at: path) { visit in
            let problem: FactorProblem
            switch try await outcome(of: form, visit) {
            case .confirmed, .sessionEnded: return .seeOther(target.text)
            case .passwordNotEnough: return .seeOther(path)
            case .wrong: problem = try form["code"] == nil ? .wrongPassword : .wrongCode
            case .refused(let refusal):
                context.logger.notice("passkey refused", metadata: ["reason": "\(refusal)"])
                problem = FactorProblem(refusal)
            case .mustWait(let minutes):
                return try await page(.tooManyAttempts(minutes: minutes), isRecovery: isRecovery, then: target, visit)
                    .retrying(after: minutes)
            case .busy: return try await page(.busy, isRecovery: isRecovery, then: target, visit).whileBusy()
            }
            return try await page(problem, isRecovery: isRecovery, then: target, visit)
        }
    }

    private enum Outcome {
        case confirmed, wrong, sessionEnded, busy
        /// The form asked for the password, and the person has got a second factor meanwhile. Nothing was looked at.
        case passwordNotEnough
        case refused(PasskeyRefusal)
        case mustWait(minutes: Int)
    }

    private func outcome(of form: RequestParameters, _ visit: AccountDoor.Visit) async throws -> Outcome {
        let outcome: FactorConfirmation.Outcome
        if let assertion = try PasskeyAssertion(form) {
            outcome = try await factors.confirm(
                by: assertion, holder: visit.visitor.holder, in: visit.session, origin: visit.origin)
        } else if let code = try form["code"] {
            outcome = try await factors.confirm(
                code, in: visit.session, knownBrowser: visit.visitor.knownBrowser, origin: visit.origin)
        } else if try await hasFactors(visit.person) {
            return .passwordNotEnough
        } else {
            do {
                switch try await password.confirm(try form["current_password"] ?? "", in: visit.session) {
                case .confirmed: return .confirmed
                case .wrong: return .wrong
                case .mustWait(let minutes): return .mustWait(minutes: minutes)
                case .sessionEnded: return .sessionEnded
                }
            } catch is PasswordHasher.Overloaded {
                return .busy
            }
        }
        return switch outcome {
        case .confirmed: .confirmed
        case .wrongCode: .wrong
        case .refused(let refusal): .refused(refusal)
        case .mustWait(let minutes): .mustWait(minutes: minutes)
        case .sessionEnded: .sessionEnded
        }
    }

    private func hasFactors(_ person: Person) async throws -> Bool {
        try await database.read { try !Factors.find(of: person.id, in: $0).isEmpty }
    }

    private func page(
        _ problem: FactorProblem?, isRecovery: Bool, then target: LocalPath, _ visit: AccountDoor.Visit
    ) async throws -> Response {
        let (person, now) = (visit.person, door.pages.surroundings.now())
        let (account, signedIn, held, passkeys) = try await database.read { transaction in
            (
                try AccountKind(of: person, in: transaction), try SignedInPerson(person, at: now, in: transaction),
                try Factors.find(of: person.id, in: transaction), try Passkey.list(of: person.id, in: transaction)
            )
        }
        let path = Self.path(then: target.text)
        let way = HiddenField(name: "continue", value: target.text)
        let isRecovery = isRecovery || !held.hasOneTimeCodes
        let other: String? =
            if isRecovery {
                held.hasOneTimeCodes ? path : nil
            } else {
                held.recoveryCodes > 0 ? "\(path)&by=recovery" : nil
            }
        return door.respond(
            with: ConfirmIdentityPage(
                form: Form(
                    action: Self.prefix,
                    hiddenFields: [way]
                        + (isRecovery && !held.isEmpty ? [HiddenField(name: "by", value: "recovery")] : [])),
                field: held.isEmpty ? .password : .code(isRecovery ? .recoveryCode : .oneTimeCode), person: signedIn,
                account: account,
                passkey: .confirm(passkeys, form: Form(action: Self.prefix, hiddenFields: [way])), problem: problem,
                otherPath: held.isEmpty ? nil : other, switchAccount: .signOut(then: target.text),
                cancelPath: AccountRoutes.path),
            status: problem == nil ? .ok : .unprocessableContent, at: path, visit)
    }
}

extension SessionReader {
    /// Whether the person has shown a moment ago who they are.
    func isFresh(_ session: BrowserSession) async throws -> Bool {
        let now = surroundings.now()
        return try await database.read { try session.isFresh(at: now, in: $0) }
    }
}

extension AccountDoor {
    /// As ``open(_:_:at:_:)``, for a page on which the person has to have shown a moment ago who they are.
    func openFresh(
        _ request: Request, _ context: AppContext, at path: String, _ show: (Visit) async throws -> Response
    ) async throws -> Response {
        try await open(request, context, at: path) { visit in
            guard try await sessions.isFresh(visit.session) else { return .seeOther(ConfirmRoutes.path(then: path)) }
            return try await show(visit)
        }
    }

    /// As ``submit(_:_:at:_:)``, for a form on such a page.
    func submitFresh(
        _ request: Request, _ context: AppContext, at path: String,
        _ act: (Visit, RequestParameters) async throws -> Response
    ) async throws -> Response {
        try await submit(request, context, at: path) { visit, form in
            guard try await sessions.isFresh(visit.session) else { return .seeOther(ConfirmRoutes.path(then: path)) }
            return try await act(visit, form)
        }
    }
}
