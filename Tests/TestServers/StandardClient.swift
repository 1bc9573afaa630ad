import Authorization
import Directory
import Fixtures
import Foundation

/// A client of the standard profile.
struct StandardClient: Sendable {
    let server: TestServer
    let app: TestApp
    /// nil for a public client.
    let secret: String?

    static func secret(on server: TestServer) async throws -> StandardClient {
        StandardClient(server: server, app: server.quizzler, secret: try await server.makeSecret())
    }

    static func `public`(on server: TestServer) async throws -> StandardClient {
        try await server.makePublic()
        return StandardClient(server: server, app: server.quizzler, secret: nil)
    }

    /// The PKCE parameters of the authorization request, which a public client has to send.
    var proof: [String: String] {
        secret == nil ? ["code_challenge": Proof.challenge, "code_challenge_method": "S256"] : [:]
    }

    func call(_ path: String, _ fields: [String: String], idempotencyKey: String? = nil) async throws -> Answer {
        try await server.standardCall(
            path, ["client_id": app.clientID, "client_secret": secret ?? ""].merging(fields) { $1 },
            idempotencyKey: idempotencyKey)
    }

    func path(scope: String = "openid", _ changes: [String: String] = [:]) -> String {
        server.standardPath(app, scope: scope, proof.merging(changes) { $1 })
    }

    func redeem(_ code: String, _ changes: [String: String] = [:]) async throws -> Answer {
        try await call(
            "token",
            [
                "grant_type": "authorization_code", "code": code, "redirect_uri": app.redirectURI,
                "code_verifier": secret == nil ? Proof.verifier : "",
            ].merging(changes) { $1 })
    }

    func tokens(
        as person: Person, scope: String = "openid", _ changes: [String: String] = [:], in browser: Browser? = nil
    ) async throws -> Tokens {
        let fields = try await server.fields(path(scope: scope, changes), as: person, in: browser)
        return try TestServer.tokens(try await redeem(fields["code"] ?? ""))
    }

    func refresh(
        _ token: String, _ changes: [String: String] = [:], idempotencyKey: String? = nil
    ) async throws -> Answer {
        try await call(
            "token", ["grant_type": "refresh_token", "refresh_token": token].merging(changes) { $1 },
            idempotencyKey: idempotencyKey)
    }

    func revoke(_ token: String) async throws -> Answer { try await call("revoke", ["token": token]) }

    func userInfo(_ token: String) async throws -> Answer {
        try await server.browser().get("/oidc/userinfo", ["Authorization": "Bearer \(token)"])
    }

    // MARK: Devices

    struct Device: Sendable {
        let deviceCode: String
        let userCode: String
        let answer: Answer
    }

    func startDevice(scope: String = "openid offline_access") async throws -> Device {
        let answer = try await call("device_authorization", ["scope": scope])
        return Device(
            deviceCode: answer.json["device_code"] as? String ?? "",
            userCode: answer.json["user_code"] as? String ?? "",
            answer: answer)
    }

    func poll(_ device: Device) async throws -> Answer {
        try await call(
            "token",
            ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": device.deviceCode])
    }

    /// Enters the code; returns the page on which the person decides.
    func openDevice(_ userCode: String, as person: Person, in browser: Browser) async throws -> Answer {
        let form = try await browser.get("/device").form("/device")
        let entered = try await browser.follow(browser.submit(form, ["user_code": userCode]))
        guard entered.form("/sign-in") != nil else { return entered }
        return try await browser.follow(server.signIn(person.userName, on: entered, in: browser))
    }

    @discardableResult
    func approve(
        _ device: Device, as person: Person, decision: String = "continue", in browser: Browser? = nil
    ) async throws -> Answer {
        let browser = browser ?? server.browser()
        var page = try await openDevice(device.userCode, as: person, in: browser)
        // The owner of a personal account first confirms what the app gets.
        if page.body.contains(#"name="given_name""#) {
            page = try await browser.follow(server.proceed(page, as: person, in: browser))
        }
        return try await server.proceed(page, as: person, ["decision": decision], in: browser)
    }
}
