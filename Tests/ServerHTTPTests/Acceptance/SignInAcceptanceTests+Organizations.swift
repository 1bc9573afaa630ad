import Authorization
import Directory
import Fixtures
import Foundation
import JWTKit
import ServerHTTP
import Storage
import Testing
import TestSupport

@testable import TestServers

/// The compatible profile: managed accounts, access rules, notifications, keys.
extension SignInAcceptanceTests {
    @Test("managed accounts: claims, and a page that shows what is there and takes nothing")
    func managed() async throws {
        try await TestServer.with { server in
            let kinds = try await server.kinds()
            let path = server.signInPath(server.quizzler)
            func page(_ person: Person) async throws -> String {
                try await server.open(path, as: person, in: server.browser()).body
            }
            func claims(_ person: Person) async throws -> [String: Any] {
                try await server.verified(try await server.tokens(as: person).identity).claims
            }
            let (nadiaPage, benPage, mariaPage) = (
                try await page(kinds.nadia), try await page(kinds.ben), try await page(kinds.maria)
            )
            for managed in [nadiaPage, benPage] {
                #expect(managed.contains("Lanyard at Work &amp; School"))
                #expect(managed.contains(try sentence("welcome.belongs", ["organization": "Maple District"])))
                #expect(!managed.contains(#"name="given_name""#))
                #expect(!managed.contains(#"name="email_choice""#))
            }
            #expect(nadiaPage.contains("<dt>Email</dt><dd><bdi>nadia.okoye@maple.example</bdi></dd>"))
            #expect(benPage.contains("<dd><bdi>Ben Berg</bdi></dd>"))
            #expect(!benPage.contains("<dt>Email</dt>"))
            #expect(!mariaPage.contains("Work &amp; School"))
            #expect(mariaPage.contains(#"name="given_name""#))

            let nadia = try await claims(kinds.nadia)
            #expect(nadia["org_id"] as? String == server.maple.organization.publicID)
            #expect(nadia["email"] as? String == "nadia.okoye@maple.example")
            #expect(nadia["email_verified"] as? Bool == true)
            let ben = try await claims(kinds.ben)
            #expect(ben["org_id"] as? String == server.maple.organization.publicID)
            #expect(ben["email"] == nil)
            #expect(ben["email_verified"] == nil)
            let maria = try await claims(kinds.maria)
            #expect(maria["org_id"] == nil)
            #expect(maria["email_verified"] as? Bool == true)
            for claims in [nadia, ben, maria] {
                #expect(claims["is_private_email"] == nil)
                // Nothing is shared of the roster.
                #expect(claims["scopes"] == nil)
            }
            let (managedSub, personalSub) = (nadia["sub"] as? String ?? "", maria["sub"] as? String ?? "")
            #expect(managedSub.wholeMatch(of: #/\d{6}\.[A-Za-z0-9+/]{40}\.[A-Za-z0-9+/]{4}/#) != nil)
            #expect(personalSub.wholeMatch(of: #/\d{6}\.[0-9a-f]{32}\.\d{4}/#) != nil)
        }
    }

    @Test("with data sharing, the subject is the roster's id, and scopes says what the app may read")
    func rosterLink() async throws {
        try await TestServer.with { server in
            let roster = try await server.connect()
            for person in [server.maple.nadia, server.maple.ben] {
                let claims = try await server.verified(try await server.tokens(as: person).identity).claims
                #expect(claims["scopes"] as? String == "edu.classes.read edu.users.read")
                let record = try await server.roster("/users/\(claims["sub"] as? String ?? "")", roster)
                #expect(record.json["givenName"] as? String == person.givenName)
            }
        }
    }

    @Test("where the operator wants them so, truths are text, as they were until 2024")
    func flagsAsText() async throws {
        try await TestServer.with(configure: { $0.flagsAsText = true }) { server in
            let kinds = try await server.kinds()
            for (person, text) in [(kinds.maria, "true"), (kinds.nadia, "true")] {
                let claims = try await server.verified(try await server.tokens(as: person).identity).claims
                #expect(claims["email_verified"] as? String == text)
                #expect(claims["nonce_supported"] as? Bool == true)
            }
        }
    }

    @Test(
        "an app off the list: a page that says so, one audit entry, no code; personal accounts are not concerned",
        arguments: TestDatabase.available)
    func blocked(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let kinds = try await server.kinds()
            try await server.changeSignIn(.mode(.allowOnlyListedApps), .list(server.rival.app.id))
            for person in [kinds.nadia, kinds.ben] {
                let browser = server.browser()
                let before = try await refusals(server)
                let page = try await server.open(server.signInPath(server.quizzler), as: person, in: browser)
                #expect(page.status == 403)
                #expect(page.heading == "Maple District does not allow Quizzler with this account")
                #expect(page.body.contains("Ada Admin"))
                #expect(page.body.contains("ada.admin@maple.example"))
                #expect(page.body.contains("Paula People"))
                // Loading the page again and forging its form are refused, and the refusal is recorded once.
                #expect(try await browser.get(page.path).status == 403)
                let forced = try await server.proceed(page, as: person, in: browser)
                #expect(forced.status == 403)
                #expect(forced.carried == nil)
                #expect(try await refusals(server) == before + 1)
                let back = try await browser.submit(page.form("/continue/", with: "decision"))
                #expect(back.carried == ["error": "user_cancelled_authorize", "state": "n3kP"])
                #expect(
                    try await server.redeemSignIn(
                        try await server.signInCode(server.rival, as: person), server.rival
                    ).status == 200)
            }
            #expect(try await server.fields(server.signInPath(server.quizzler), as: kinds.maria)["code"] != nil)
            #expect(try await server.count("sign_in_consent WHERE app_id = \(server.quizzler.app.id.rawValue)") == 1)
        }
    }

    private func refusals(_ server: TestServer) async throws -> Int {
        try await server.audit(of: server.maple.organization.id).count {
            $0.hasPrefix("app.sign-in refused the app is not on the organization's list for signing in")
        }
    }

    @Test(
        "removal signs everybody out at once: codes, refresh tokens and user info fail",
        arguments: TestDatabase.available)
    func removal(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let secret = try await server.makeSecret()
            let nadia = server.maple.nadia
            try await server.changeSignIn(.list(server.quizzler.app.id), .mode(.allowOnlyListedApps))
            let tokens = try await server.tokens(as: nadia)
            let code = try await server.signInCode(as: nadia)
            let standard = try await server.standardCode(as: nadia)
            let info = try TestServer.tokens(
                try await server.standardCall(
                    "token",
                    [
                        "grant_type": "authorization_code", "code": standard, "client_id": "com.quizzler",
                        "client_secret": secret, "redirect_uri": server.quizzler.redirectURI,
                    ]))
            let bearer = ["Authorization": "Bearer \(info.access)"]
            #expect(try await server.browser().get("/oidc/userinfo", bearer).status == 200)
            #expect(try await server.changeSignIn(.unlist(server.quizzler.app.id)) == 1)
            #expect(try await server.refreshSignIn(tokens.refresh).error == "invalid_grant")
            #expect(try await server.redeemSignIn(code).error == "invalid_grant")
            #expect(try await server.browser().get("/oidc/userinfo", bearer).status == 401)
        }
    }

    @Test(
        "a notification of each person who is signed out: it verifies, has exp and jti, and events is JSON text",
        arguments: TestDatabase.available)
    func notifications(_ kind: TestDatabase) async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(on: kind, notificationURL: receiver.url) { server in
                var subjects: Set<String> = []
                for person in [server.maple.nadia, server.maple.ben] {
                    let identity = try await server.tokens(as: person).identity
                    subjects.insert(try await server.verified(identity).claims["sub"] as? String ?? "")
                }
                _ = try await server.tokens(as: try await server.addPersonal())
                server.fixed.advance(by: 60)
                let now = Int(server.fixed.now.timeIntervalSince1970)
                #expect(try await server.changeSignIn(.mode(.allowOnlyListedApps)) == 2)
                var told: Set<String> = []
                for delivery in try await receiver.wait(for: 2) {
                    #expect(delivery.contentType == "application/json")
                    let token = try await server.verified(try #require(delivery.payload))
                    #expect(Set(token.header.keys) == ["kid", "alg"])
                    let jti = try #require(token.claims["jti"] as? String)
                    #expect(jti.wholeMatch(of: #/[\w-]{22}/#) != nil)
                    let events = try #require(token.claims["events"] as? String)
                    let event = try JSONSerialization.jsonObject(with: Data(events.utf8)) as? [String: Any]
                    let sub = event?["sub"] as? String ?? ""
                    #expect(
                        canonical(event)
                            == canonical(["type": "consent-revoked", "sub": sub, "event_time": now * 1_000]))
                    #expect(
                        canonical(token.claims)
                            == canonical([
                                "iss": TestServer.baseURL, "aud": "com.quizzler", "iat": now, "exp": now + 86_400,
                                "jti": jti, "events": events,
                            ]))
                    told.insert(sub)
                }
                #expect(told == subjects)
                #expect(receiver.received.count == 2)
            }
        }
    }

    @Test("every event about a person has its own shape; an app that revokes by itself is not told")
    func events() async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(notificationURL: receiver.url) { server in
                let maria = try await server.addPersonal()
                let tokens = try await server.tokens(as: maria)
                let sub = try await server.verified(tokens.identity).claims["sub"] as? String ?? ""
                let (app, now, surroundings) = (server.quizzler.app.id, server.fixed.now, server.fixed.surroundings)
                let address = "x7k2m9pq4z@relay.school.example"
                #expect(try await server.call("/auth/revoke", nil, ["token": tokens.refresh]).status == 200)
                let time = Int(now.timeIntervalSince1970) * 1_000
                let all: [(OutgoingNotification.PersonEvent, [String: Any])] = [
                    (
                        .emailDisabled(hiddenAddress: address),
                        ["type": "email-disabled", "email": address, "is_private_email": "true"]
                    ),
                    (
                        .emailEnabled(hiddenAddress: address),
                        ["type": "email-enabled", "email": address, "is_private_email": "true"]
                    ),
                    (.accountDeleted, ["type": "account-delete"]),
                    (.consentRevoked, ["type": "consent-revoked"]),
                ]
                for (index, (event, expected)) in all.enumerated() {
                    try await server.database.write {
                        try OutgoingNotification.enqueue(
                            event, of: maria.id, to: app, at: now, surroundings: surroundings, in: $0)
                    }
                    let payload = try #require(try await receiver.wait(for: index + 1).last?.payload)
                    let events = try await server.verified(payload).claims["events"] as? String ?? ""
                    #expect(
                        canonical(try JSONSerialization.jsonObject(with: Data(events.utf8)))
                            == canonical(expected.merging(["sub": sub, "event_time": time]) { old, _ in old }))
                }
            }
        }
    }

    @Test(
        "a new key is published before it signs, old tokens verify afterwards, and it goes when none can live",
        arguments: TestDatabase.available)
    func keyRotation(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            // Two servers on one database.
            try await TestServer.run(server.scene) { other in
                let old = try await server.tokens(as: server.maple.nadia)
                func signers() async throws -> [String] {
                    var found: [String] = []
                    for server in [server, other] {
                        let answer = try TestServer.tokens(try await server.refreshSignIn(old.refresh))
                        found.append(try await server.verified(answer.identity).header["kid"] as? String ?? "")
                    }
                    return found
                }
                func published() async throws -> [[String]] {
                    var found: [[String]] = []
                    for server in [server, other] {
                        for path in ["/auth/keys", "/oidc/keys", "/auth/oauth2/v2/keys"] {
                            let keys = try await server.browser().get(path).list("keys").filter {
                                $0["kty"] as? String == "RSA"
                            }
                            found.append(keys.compactMap { $0["kid"] as? String })
                        }
                    }
                    return found
                }
                let first = try await server.verified(old.identity).header["kid"] as? String ?? ""
                let second =
                    try await SigningKeys.add(
                        .rs256, signingFrom: server.fixed.now.addingTimeInterval(SigningKeys.notice),
                        to: server.database,
                        under: server.scene.masterKey, surroundings: server.fixed.surroundings) ?? ""
                // As long as a list in memory may be old.
                server.fixed.advance(by: 16)
                #expect(try await published() == Array(repeating: [first, second], count: 6))
                #expect(try await signers() == [first, first])
                let warm = try await server.browser().get("/auth/keys")
                #expect(warm["Cache-Control"] == "public, max-age=900")

                server.fixed.advance(by: SigningKeys.notice)
                #expect(try await signers() == [second, second])
                // A client with the list of half an hour ago accepts the new token, and all still accept the old one.
                let new = try TestServer.tokens(try await server.refreshSignIn(old.refresh))
                #expect(try await SignedToken.verify(new.identity, with: warm).header["kid"] as? String == second)
                #expect(try await server.verified(old.identity).header["kid"] as? String == first)

                server.fixed.advance(by: SigningKeys.retention - 60)
                #expect(try await published() == Array(repeating: [first, second], count: 6))
                server.fixed.advance(by: 60)
                #expect(try await published() == Array(repeating: [second], count: 6))
                #expect(try await signers() == [second, second])
            }
        }
    }

    @Test("jwt-kit takes the tokens of every kind of account as those of the service that it was made for")
    func jwtKit() async throws {
        try await TestServer.with(
            configure: {
                $0 = try ServerConfiguration(baseURL: "http://127.0.0.1:8080", issuer: "https://appleid.apple.com")
                $0.port = 0
            }
        ) { server in
            // It reads the machine's own clock.
            server.fixed.advance(by: Date().timeIntervalSince(server.fixed.now).rounded(.down))
            let kinds = try await server.kinds()
            let keys = JWTKeyCollection()
            try await keys.add(jwksJSON: try await server.browser().get("/auth/keys").body)
            for (person, email, organization, isVerified) in [
                (kinds.maria, "maria@home.example", nil, true),
                (kinds.nadia, "nadia.okoye@maple.example", server.maple.organization.publicID, true),
                (kinds.ben, nil, server.maple.organization.publicID, nil as Bool?),
            ] as [(Person, String?, String?, Bool?)] {
                let fields = try await server.fields(
                    server.signInPath(server.quizzler, ["response_type": "code id_token", "nonce": "n"]), as: person)
                let tokens = try TestServer.tokens(try await server.redeemSignIn(fields["code"] ?? ""))
                for text in [fields["id_token"] ?? "", tokens.identity] {
                    let token = try await keys.verify(text, as: AppleIdentityToken.self)
                    try token.audience.verifyIntendedAudience(includes: "com.quizzler")
                    #expect(token.issuer.value == "https://appleid.apple.com")
                    #expect(token.nonce == "n")
                    #expect(token.nonceSupported?.value == true)
                    #expect(token.email == email)
                    #expect(token.emailVerified?.value == isVerified)
                    #expect(token.orgId == organization)
                    #expect(token.isPrivateEmail == nil)
                    #expect(token.realUserStatus == nil)
                }
            }
        }
    }
}
