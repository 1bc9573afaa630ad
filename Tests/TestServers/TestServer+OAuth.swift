import Authorization
import Directory
import Fixtures
import Foundation
import Storage

/// The tokens that an app received.
struct Tokens: Sendable {
    let access: String
    let refresh: String
    let identity: String
}

extension TestServer {
    static let bothScopes = "edu.classes.read edu.users.read"
    static let testScope = "edu.rosterapi.test.read"

    /// The address to which an app sends the browser.
    /// - Parameter changes: to the parameters; an empty value leaves one out.
    func authorizePath(_ app: TestApp, scope: String = bothScopes, _ changes: [String: String] = [:]) -> String {
        let parameters = [
            "client_id": app.clientID, "redirect_uri": app.redirectURI, "response_type": "code", "scope": scope,
            "state": "n3kP",
        ].merging(changes) { _, new in new }.filter { !$0.value.isEmpty }
        return "/auth/oauth2/v2/authorize?\(Browser.encode(parameters.map { $0 }))"
    }

    /// Goes from the app to the consent page, or to the page that says why there is none.
    func openConsent(
        _ app: TestApp, as person: Person, scope: String = bothScopes, _ changes: [String: String] = [:],
        in browser: Browser
    ) async throws -> Answer {
        let page = try await browser.follow(browser.get(authorizePath(app, scope: scope, changes)))
        guard page.form("/sign-in") != nil else { return page }
        return try await browser.follow(signIn(person.userName, on: page, in: browser))
    }

    @discardableResult
    func signIn(
        _ userName: String, password: String = District.password, on page: Answer? = nil, in browser: Browser
    ) async throws -> Answer {
        let page = if let page { page } else { try await browser.get("/sign-in") }
        // A person who is signed in sees no form; then take the token of any form, which is the same.
        let form =
            if let form = page.form("/sign-in") { form } else {
                try await browser.get("/account").form("/language").map {
                    Answer.Form(action: "/sign-in", fields: ["csrf_token": $0.fields["csrf_token"] ?? ""])
                }
            }
        return try await browser.submit(form, ["username": userName, "password": password])
    }

    /// The parameters with which the browser returns to the app after *Allow*.
    func allow(
        _ app: TestApp, as person: Person? = nil, scope: String = bothScopes, _ changes: [String: String] = [:]
    ) async throws -> Answer {
        let browser = browser()
        let page = try await openConsent(app, as: person ?? maple.administrator, scope: scope, changes, in: browser)
        return try await browser.submit(page.form("/connect/"), ["decision": "allow"])
    }

    func code(
        _ app: TestApp, as person: Person? = nil, scope: String = bothScopes, _ changes: [String: String] = [:]
    ) async throws -> String {
        let answer = try await allow(app, as: person, scope: scope, changes)
        guard let code = answer.redirectParameters["code"] else { throw NoCode(answer: answer.line) }
        return code
    }

    struct NoCode: Error {
        let answer: String
    }

    /// A request to the token endpoint with a valid client secret.
    /// - Parameter changes: to the form; an empty value leaves a field out.
    func token(_ app: TestApp, _ changes: [String: String]) async throws -> Answer {
        let form = ["client_id": app.clientID, "client_secret": try app.secret(at: fixed.now)]
            .merging(changes) { _, new in new }.filter { !$0.value.isEmpty }
        return try await browser().post("/auth/oauth2/v2/token", form)
    }

    func redeem(_ code: String, _ app: TestApp, _ changes: [String: String] = [:]) async throws -> Answer {
        try await token(
            app,
            ["grant_type": "authorization_code", "code": code, "redirect_uri": app.redirectURI]
                .merging(changes) { _, new in new })
    }

    func refresh(_ refreshToken: String, _ app: TestApp) async throws -> Answer {
        try await token(app, ["grant_type": "refresh_token", "refresh_token": refreshToken])
    }

    func revoke(_ token: String, _ app: TestApp, _ changes: [String: String] = [:]) async throws -> Answer {
        let form = ["client_id": app.clientID, "client_secret": try app.secret(at: fixed.now), "token": token]
            .merging(changes) { _, new in new }.filter { !$0.value.isEmpty }
        return try await browser().post("/auth/oauth2/v2/revoke", form)
    }

    /// Gives consent, and exchanges the code for tokens.
    func connect(
        _ app: TestApp? = nil, as person: Person? = nil, scope: String = bothScopes, _ changes: [String: String] = [:]
    ) async throws -> Tokens {
        let app = app ?? quizzler
        let answer = try await redeem(code(app, as: person, scope: scope, changes), app)
        let json = answer.json
        guard let access = json["access_token"] as? String, let refresh = json["refresh_token"] as? String,
            let identity = json["id_token"] as? String
        else { throw NoCode(answer: answer.line) }
        return Tokens(access: access, refresh: refresh, identity: identity)
    }

    /// A request to the roster API.
    func roster(_ path: String, _ tokens: Tokens) async throws -> Answer {
        try await roster(path, bearer: tokens.access)
    }

    func roster(_ path: String, bearer: String) async throws -> Answer {
        try await browser().get("/rosterapi/v1\(path)", ["Authorization": "Bearer \(bearer)"])
    }

    /// The last `events` of the organization's log, as "action outcome detail".
    func audit(of organization: OrganizationID) async throws -> [String] {
        try await database.read { transaction in
            try AuditRecord.page(of: organization, after: 0, limit: 10_000, in: transaction)
                .map { "\($0.action) \($0.outcome) \($0.detail)".trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Revokes the consent to an app, as an administrator does.
    func revokeConsent(_ app: TestApp, by person: Person?, in organization: OrganizationID) async throws {
        let (now, surroundings, appID) = (fixed.now, fixed.surroundings, app.app.id)
        try await database.write { transaction in
            guard
                let consent = try Consent.living(app: appID, organization: organization, at: now, in: transaction)
            else { return }
            _ = try consent.revoke(
                by: person?.id, actor: person.map { .person($0.id) } ?? .operator, from: .commandLine, at: now,
                surroundings: surroundings, in: transaction)
        }
    }
}
