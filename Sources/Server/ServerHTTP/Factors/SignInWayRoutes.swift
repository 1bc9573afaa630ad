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

/// `/account/sign-in-ways/…`: what the person signs in with, besides the password: added, removed, made anew.
struct SignInWayRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let changes: FactorChanges
    /// Nil where browsers have no passkeys.
    let challenges: PasskeyChallenges?
    let notice: PasswordNotice
    let door: AccountDoor
    /// The host by which generators of codes and printed sheets name the server.
    let host: String

    static let path = "/account/sign-in-ways"
    private static let passkeysPath = "\(path)/passkeys"
    private static let codesPath = "\(path)/codes"
    private static let removeCodesPath = "\(path)/codes/remove"
    private static let recoveryPath = "\(path)/recovery-codes"
    private static func removePath(of passkey: PasskeyID) -> String { "\(passkeysPath)/\(passkey.rawValue)/remove" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/sign-in-ways", use: show)
        router.post("account/sign-in-ways/passkeys", use: addPasskey)
        router.post("account/sign-in-ways/passkeys/{passkey}/remove", use: removePasskey)
        router.get("account/sign-in-ways/codes", use: showCodes)
        router.post("account/sign-in-ways/codes", use: setUpCodes)
        router.post("account/sign-in-ways/codes/remove", use: removeCodes)
        router.post("account/sign-in-ways/recovery-codes", use: renewRecoveryCodes)
        // A browser that reloads the answer to a form may send a GET here.
        for form in ["passkeys", "passkeys/{passkey}/remove", "codes/remove", "recovery-codes"] {
            router.get(RouterPath("account/sign-in-ways/\(form)")) { _, _ in Response.seeOther(Self.path) }
        }
    }

    // MARK: The list

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let done = try request.queryParameters()["done"].flatMap(SignInWaysPage.Notice.init)
        return try await door.openFresh(request, context, at: Self.path) { try await page(done, nil, $0) }
    }

    private func page(
        _ done: SignInWaysPage.Notice?, _ problem: FactorProblem?, _ visit: AccountDoor.Visit
    ) async throws -> Response {
        let person = visit.person
        let (account, passkeys, factors) = try await database.read { transaction in
            (
                try AccountKind(of: person, in: transaction), try Passkey.list(of: person.id, in: transaction),
                try Factors.find(of: person.id, in: transaction)
            )
        }
        let mayAdd = passkeys.count < Passkey.perPersonMax
        return door.respond(
            with: SignInWaysPage(
                account: account,
                passkeys: passkeys.map {
                    SignInWaysPage.Passkey(
                        name: $0.name, addedAt: $0.addedAt, usedAt: $0.usedAt, isSynced: $0.isBackedUp,
                        remove: Form(action: Self.removePath(of: $0.id)))
                },
                addPasskey: mayAdd
                    ? challenges.map {
                        .add(for: person, known: passkeys, challenges: $0, form: Form(action: Self.passkeysPath))
                    } : nil,
                hasOneTimeCodes: factors.hasOneTimeCodes, setUpCodesPath: Self.codesPath,
                removeCodes: Form(action: Self.removeCodesPath), recoveryCodes: factors.recoveryCodes,
                renewRecoveryCodes: factors.isEmpty ? nil : Form(action: Self.recoveryPath),
                changePasswordPath: AccountPasswordRoutes.path, accountPath: AccountRoutes.path,
                now: surroundings.now(), notice: done, problem: problem),
            status: problem == nil ? .ok : .unprocessableContent, at: Self.path, visit)
    }

    private static func path(noting done: SignInWaysPage.Notice) -> String { "\(path)?done=\(done.rawValue)" }

    /// Tells the person by mail, so that they notice if it was not their doing.
    private func tell(_ visit: AccountDoor.Visit) -> FactorChanges.Following {
        let (notice, language) = (notice, visit.visitor.language.rawValue)
        return { try notice.tell(.factorsChanged, to: $0, language, in: $1) }
    }

    // MARK: Passkeys

    @Sendable private func addPasskey(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submitFresh(request, context, at: Self.path) { visit, form in
            guard let registration = try PasskeyRegistration(form) else {
                return try await page(nil, .passkey, visit)
            }
            let outcome = try await changes.add(
                .passkey(registration, name: try form["passkey_name"] ?? "", holder: visit.visitor.holder),
                in: visit.session, origin: visit.origin, then: tell(visit))
            return try await answer(outcome, .passkeyAdded, visit) { try await page(nil, $0, visit) }
        }
    }

    private func answer(
        _ outcome: FactorChanges.Outcome, _ done: SignInWaysPage.Notice?, _ visit: AccountDoor.Visit,
        page: (FactorProblem) async throws -> Response
    ) async throws -> Response {
        switch outcome {
        case .added(let codes) where codes.isEmpty:
            return .seeOther(done.map { Self.path(noting: $0) } ?? Self.path)
        case .added(let codes): return try await recoveryPage(codes, visit)
        case .wrongCode: return try await page(.wrongCode)
        case .refused(let refusal):
            visit.context.logger.notice("passkey refused", metadata: ["reason": "\(refusal)"])
            return try await page(FactorProblem(refusal))
        case .tooMany: return try await page(.tooManyPasskeys(max: Passkey.perPersonMax))
        case .sessionEnded: return .seeOther(Self.path)
        }
    }

    @Sendable private func removePasskey(_ request: Request, context: AppContext) async throws -> Response {
        guard let number = context.parameters.get("passkey").flatMap({ Int64($0) }) else { throw PageError.notFound }
        return try await remove(.passkey(PasskeyID(rawValue: number)), .passkeyRemoved, request, context)
    }

    private func remove(
        _ removed: FactorChanges.Removed, _ done: SignInWaysPage.Notice, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        try await door.submitFresh(request, context, at: Self.path) { visit, _ in
            // If it was removed in the meantime, the person has what they asked for.
            try await changes.remove(removed, in: visit.session, origin: visit.origin, then: tell(visit))
            return .seeOther(Self.path(noting: done))
        }
    }

    // MARK: Codes

    @Sendable private func showCodes(_ request: Request, context: AppContext) async throws -> Response {
        try await door.openFresh(request, context, at: Self.codesPath) { visit in
            try await codesPage(nil, try changes.newOneTimeCodeKey(for: visit.person.id), visit)
        }
    }

    @Sendable private func setUpCodes(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submitFresh(request, context, at: Self.codesPath) { visit, form in
            let sealed = try form["sealed"] ?? ""
            let outcome = try await changes.add(
                .oneTimeCodes(code: try form["code"] ?? "", sealed: sealed), in: visit.session, origin: visit.origin,
                then: tell(visit))
            return try await answer(outcome, nil, visit) { problem in
                // With the same secret, so that a generator that has it already keeps it.
                let key =
                    try changes.oneTimeCodeKey(sealed, for: visit.person.id)
                    ?? changes.newOneTimeCodeKey(for: visit.person.id)
                return try await codesPage(problem, key, visit)
            }
        }
    }

    private func codesPage(
        _ problem: FactorProblem?, _ key: NewOneTimeCodeKey, _ visit: AccountDoor.Visit
    ) async throws -> Response {
        let person = visit.person
        return door.respond(
            with: OneTimeCodesPage(
                form: Form(action: Self.codesPath, hiddenFields: [HiddenField(name: "sealed", value: key.sealed)]),
                address: OneTimeCode.address(of: key.secret, account: person.userName, issuer: host),
                secret: OneTimeCode.text(of: key.secret), organization: try await organization(of: person),
                reason: .chosen(cancelPath: Self.path), problem: problem),
            status: problem == nil ? .ok : .unprocessableContent, at: Self.codesPath, visit)
    }

    private func organization(of person: Person) async throws -> Badge? {
        try await database.read { transaction in
            try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
        }.map { Badge($0) }
    }

    @Sendable private func removeCodes(_ request: Request, context: AppContext) async throws -> Response {
        try await remove(.oneTimeCodes, .codesRemoved, request, context)
    }

    @Sendable private func renewRecoveryCodes(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submitFresh(request, context, at: Self.path) { visit, _ in
            guard let codes = try await changes.renewRecoveryCodes(in: visit.session, origin: visit.origin) else {
                return .seeOther(Self.path)
            }
            return try await recoveryPage(codes, visit)
        }
    }

    private func recoveryPage(_ codes: [String], _ visit: AccountDoor.Visit) async throws -> Response {
        door.respond(
            with: RecoveryCodesPage(
                codes: codes, host: host, userName: visit.person.userName,
                organization: try await organization(of: visit.person), continuePath: Self.path),
            at: Self.path, visit)
    }
}
