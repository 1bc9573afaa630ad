import Accounts
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import NIOHTTP1
import Storage

/// PKCE, RFC 7636 appendix B.
enum Proof {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
}

/// One person of each kind that can sign in to apps.
struct Kinds: Sendable {
    /// A personal account with an e-mail address.
    let maria: Person
    /// Managed, with an e-mail address.
    let nadia: Person
    /// Managed, without an e-mail address.
    let ben: Person

    var all: [Person] { [maria, nadia, ben] }
}

extension TestServer {
    func kinds() async throws -> Kinds {
        Kinds(maria: try await addPersonal(), nadia: maple.nadia, ben: maple.ben)
    }

    /// A personal account.
    func addPersonal(
        _ givenName: String = "Maria", _ familyName: String = "Ruiz", email: String? = "maria@home.example",
        userName: String = "maria@home.example"
    ) async throws -> Person {
        let hash = try await PasswordHasher(cost: .low, surroundings: fixed.surroundings).hash(District.password)
        let now = fixed.now
        return try await database.write { transaction in
            let person = try Person.insert(
                in: nil, givenName: givenName, familyName: familyName, email: email, emailVerifiedAt: now,
                userName: userName, at: now, in: transaction)
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            return person
        }
    }

    /// Deactivates all personal accounts.
    func deactivatePersonalAccounts() async throws {
        try await database.write {
            try $0.execute("UPDATE person SET state = 'deactivated' WHERE organization_id IS NULL")
        }
    }

    /// Gives somebody, who has a password, one-time codes.
    /// - Returns: the secret of the codes.
    func addOneTimeCodes(to person: Person) async throws -> [UInt8] {
        let changes = FactorChanges(
            checker: FactorChecker(
                database: database, sealing: scene.masterKey.sealing, challenges: nil, surroundings: fixed.surroundings)
        )
        let (now, surroundings) = (fixed.now, fixed.surroundings)
        let session = try await database.write { transaction in
            let token = try BrowserSession.insert(
                for: person.id, userAgent: nil, at: now, from: surroundings, in: transaction)
            return try BrowserSession.find(token: token.text, at: now, in: transaction)
        }
        guard let session else { throw NoCode(answer: "no session") }
        let key = try changes.newOneTimeCodeKey(for: person.id)
        let code = OneTimeCode.code(of: key.secret, step: OneTimeCode.step(at: now))
        _ = try await changes.add(.oneTimeCodes(code: code, sealed: key.sealed), in: session, origin: .system) { _, _ in
        }
        return key.secret
    }

    // MARK: To the page

    /// The address to which an app of the compatible profile sends the browser.
    /// - Parameter changes: to the parameters; an empty value leaves one out.
    func signInPath(_ app: TestApp, scope: String = "name email", _ changes: [String: String] = [:]) -> String {
        path(
            "/auth/authorize", app,
            ["scope": scope, "response_mode": scope.isEmpty ? "" : "form_post"].merging(changes) { _, new in new })
    }

    /// The same for the standard profile.
    func standardPath(_ app: TestApp, scope: String = "openid", _ changes: [String: String] = [:]) -> String {
        path("/oidc/authorize", app, ["scope": scope].merging(changes) { _, new in new })
    }

    private func path(_ endpoint: String, _ app: TestApp, _ changes: [String: String]) -> String {
        let parameters = [
            "client_id": app.clientID, "redirect_uri": app.redirectURI, "response_type": "code", "state": "n3kP",
        ].merging(changes) { _, new in new }.filter { !$0.value.isEmpty }
        return "\(endpoint)?\(Browser.encode(parameters.map { $0 }))"
    }

    /// Goes from the app to the page on which the person decides, or to the response for the app if no page is needed.
    func open(_ path: String, as person: Person, in browser: Browser) async throws -> Answer {
        let page = try await browser.follow(browser.get(path))
        guard page.form("/sign-in") != nil else { return page }
        return try await browser.follow(signIn(person.userName, on: page, in: browser))
    }

    /// Submits the page with *Continue*.
    func proceed(
        _ page: Answer, as person: Person, _ typed: [String: String] = [:], in browser: Browser
    ) async throws -> Answer {
        try await browser.submit(
            page.form("/continue/"),
            [
                "decision": "continue", "given_name": person.givenName, "family_name": person.familyName,
                "email_choice": "share",
            ].merging(typed) { _, new in new })
    }

    /// Goes through all pages to the response with which the browser returns to the app.
    func answer(_ path: String, as person: Person, in browser: Browser? = nil) async throws -> Answer {
        let browser = browser ?? self.browser()
        let page = try await open(path, as: person, in: browser)
        guard page.form("/continue/") != nil else { return page }
        return try await proceed(page, as: person, in: browser)
    }

    func fields(_ path: String, as person: Person, in browser: Browser? = nil) async throws -> [String: String] {
        let answer = try await answer(path, as: person, in: browser)
        guard let fields = answer.carried else { throw NoCode(answer: answer.line) }
        return fields
    }

    func signInCode(
        _ app: TestApp? = nil, as person: Person, scope: String = "name email", _ changes: [String: String] = [:],
        in browser: Browser? = nil
    ) async throws -> String {
        let fields = try await fields(signInPath(app ?? quizzler, scope: scope, changes), as: person, in: browser)
        guard let code = fields["code"] else { throw NoCode(answer: "\(fields)") }
        return code
    }

    func standardCode(
        _ app: TestApp? = nil, as person: Person, scope: String = "openid", _ changes: [String: String] = [:],
        in browser: Browser? = nil
    ) async throws -> String {
        let fields = try await fields(standardPath(app ?? quizzler, scope: scope, changes), as: person, in: browser)
        guard let code = fields["code"] else { throw NoCode(answer: "\(fields)") }
        return code
    }

    // MARK: The app's server

    /// A request with a valid client secret in the form.
    /// - Parameter changes: to the form; an empty value leaves a field out.
    func call(
        _ path: String, _ app: TestApp? = nil, _ changes: [String: String], bearer: String? = nil
    ) async throws -> Answer {
        let app = app ?? quizzler
        let form = ["client_id": app.clientID, "client_secret": try app.secret(at: fixed.now)]
            .merging(changes) { _, new in new }.filter { !$0.value.isEmpty }
        var headers = ["Content-Type": "application/x-www-form-urlencoded"]
        if let bearer { headers["Authorization"] = "Bearer \(bearer)" }
        return try await browser().send(.POST, path, headers, body: Browser.encode(form.map { $0 }))
    }

    /// Redeems a code of the compatible profile.
    func redeemSignIn(_ code: String, _ app: TestApp? = nil, _ changes: [String: String] = [:]) async throws -> Answer {
        let app = app ?? quizzler
        return try await call(
            "/auth/token", app,
            ["grant_type": "authorization_code", "code": code, "redirect_uri": app.redirectURI]
                .merging(changes) { _, new in new })
    }

    func refreshSignIn(
        _ refreshToken: String, _ app: TestApp? = nil, _ changes: [String: String] = [:]
    ) async throws -> Answer {
        try await call(
            "/auth/token", app,
            ["grant_type": "refresh_token", "refresh_token": refreshToken].merging(changes) { _, new in new })
    }

    /// Signs in and exchanges the code for tokens, in the compatible profile.
    func tokens(
        _ app: TestApp? = nil, as person: Person, scope: String = "name email", _ changes: [String: String] = [:]
    ) async throws -> Tokens {
        let code = try await signInCode(app, as: person, scope: scope, changes)
        return try Self.tokens(try await redeemSignIn(code, app))
    }

    static func tokens(_ answer: Answer) throws -> Tokens {
        let json = answer.json
        guard let access = json["access_token"] as? String, let identity = json["id_token"] as? String else {
            throw NoCode(answer: answer.line)
        }
        return Tokens(access: access, refresh: json["refresh_token"] as? String ?? "", identity: identity)
    }

    /// The claims of a token, whose signature is checked against the published keys.
    func verified(_ token: String) async throws -> SignedToken {
        try await SignedToken.verify(token, with: try await browser().get("/auth/keys"))
    }

    // MARK: Standard clients

    /// A request of the standard profile with any client authentication.
    func standardCall(
        _ path: String, _ fields: [String: String], basic: String? = nil, origin: String? = nil,
        idempotencyKey: String? = nil
    ) async throws -> Answer {
        var headers = ["Content-Type": "application/x-www-form-urlencoded"]
        if let basic { headers["Authorization"] = "Basic \(Data(basic.utf8).base64EncodedString())" }
        if let origin { headers["Origin"] = origin }
        if let idempotencyKey { headers["Idempotency-Key"] = idempotencyKey }
        return try await browser().send(
            .POST, "/oidc/\(path)", headers,
            body: Browser.encode(fields.filter { !$0.value.isEmpty }.map { $0 }))
    }

    /// Gives a client of the app a fixed secret.
    func makeSecret(of clientID: String = "com.quizzler") async throws -> String {
        let surroundings = fixed.surroundings
        return try await database.write {
            try Client.find(clientID, in: $0)?.makeSecret(from: surroundings, in: $0).text ?? ""
        }
    }

    func makePublic(_ clientID: String = "com.quizzler") async throws {
        try await database.write { try Client.find(clientID, in: $0)?.makePublic(in: $0) }
    }

    /// Replaces the return URLs of an app.
    func put(returnURLs: [ReturnURL], of app: TestApp? = nil) async throws {
        let app = (app ?? quizzler).app
        try await database.write { try app.put(returnURLs: returnURLs, in: $0) }
    }

    /// Replaces the domains of the app.
    func put(domains: [String]) async throws {
        let app = quizzler.app
        try await database.write { try app.put(domains: try domains.map { try AppDomain($0) }, in: $0) }
    }

    /// Changes to which apps the people of Maple may sign in.
    @discardableResult
    func changeSignIn(_ changes: AccessRule.Change...) async throws -> Int {
        let (organization, now) = (maple.organization.id, fixed.now)
        try await database.write { transaction in
            for change in changes {
                try AccessRule.apply(
                    change, to: organization, purpose: .signIn, by: .operator, from: .commandLine, at: now,
                    in: transaction)
            }
        }
        return try await AccessRuleSweep(database: database, surroundings: fixed.surroundings).run(
            in: organization, by: .operator, from: .commandLine)
    }

    /// Ends a person's use of an app, as on their account page.
    func stopUsing(_ person: Person) async throws {
        let (id, now, surroundings) = (quizzler.app.id, fixed.now, fixed.surroundings)
        try await database.write { transaction in
            _ = try SignInConsent.living(app: id, person: person.id, in: transaction)?.end(
                .person, by: .person(person.id), from: .commandLine, at: now, surroundings: surroundings,
                in: transaction)
        }
    }

    /// The client with the second client id of Quizzler's.
    func grouped() -> TestApp {
        TestApp(
            team: quizzler.team, app: quizzler.app, keyID: quizzler.keyID, privateKey: quizzler.privateKey,
            clientID: Scene.groupedClientID, redirectURI: quizzler.redirectURI)
    }

    func count(_ table: String) async throws -> Int {
        try await database.read { try $0.first("SELECT COUNT(*) FROM \(table)") { try $0[0] } } ?? 0
    }
}

extension Answer {
    /// The parameters that a browser would take to the app: from a form, the URL, or a message; nil if there are none.
    var carried: [String: String]? {
        if let form = forms.first(where: { $0.action.contains("://") }) { return form.fields }
        if let message { return message.mapValues { "\($0)" } }
        return (300..<400).contains(status) && location.contains(":") ? redirectParameters : nil
    }

    /// The `data` of the message to the opener.
    var message: [String: Any]? {
        guard let text = attribute("data-message"),
            let all = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            all["method"] as? String == "oauthDone"
        else { return nil }
        return all["data"] as? [String: Any]
    }

    func attribute(_ name: String) -> String? {
        guard let start = body.range(of: "\(name)=\""), let end = body[start.upperBound...].firstIndex(of: "\"") else {
            return nil
        }
        return Self.unescape(body[start.upperBound..<end])
    }
}
