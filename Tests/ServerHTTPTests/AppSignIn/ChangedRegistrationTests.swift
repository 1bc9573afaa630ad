import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

/// Changes to an app's registration take effect for people who are in the middle of a sign-in to it.
@Suite struct ChangedRegistrationTests {
    /// A change to the app while a person looks at a page about it.
    private enum Change: CaseIterable, Sendable {
        case returnURL
        case app
        case proofKey

        func apply(on server: TestServer) async throws {
            let (app, now, surroundings) = (server.quizzler.app, server.fixed.now, server.fixed.surroundings)
            let url = server.quizzler.redirectURI
            try await server.database.write { transaction in
                switch self {
                case .returnURL: _ = try app.remove(returnURL: url, in: transaction)
                case .app:
                    _ = try app.remove(
                        by: .operator, from: .commandLine, at: now, surroundings: surroundings, in: transaction)
                case .proofKey: try app.put(requiresProofKey: true, in: transaction)
                }
            }
        }

        /// The heading of the page that the person then sees; nil if there is no page.
        var heading: String? {
            switch self {
            case .returnURL: "This app is not set up correctly"
            case .app: "The app that sent you here is not known"
            case .proofKey: nil
            }
        }
    }

    private func paths(_ server: TestServer) -> [(path: String, person: Person, decision: String)] {
        [
            (server.signInPath(server.quizzler), server.maple.nadia, "continue"),
            (
                server.signInPath(server.quizzler, ["response_type": "code id_token"]), server.maple.nadia, "continue"
            ),
            (server.standardPath(server.quizzler), server.maple.nadia, "continue"),
            (server.authorizePath(server.quizzler), server.maple.administrator, "allow"),
        ]
    }

    private func expectPage(_ answer: Answer, _ change: Change, _ remark: String) {
        #expect(answer.status == 400, "\(remark)")
        #expect(answer.heading == change.heading, "\(remark)")
        #expect(answer.carried == nil && answer.location.isEmpty, "\(remark)")
        #expect(!answer.body.contains("action=\"https://"), "\(remark)")
    }

    @Test(
        "neither code nor error goes to an address or an app that is gone, in any profile",
        arguments: TestDatabase.available)
    func answers(_ kind: TestDatabase) async throws {
        // Whether the app proves its codes is asked when it redeems them.
        for change in [Change.returnURL, .app] {
            for index in 0..<4 {
                try await TestServer.with(on: kind) { server in
                    let (path, person, decision) = paths(server)[index]
                    let (browser, early, elsewhere) = (server.browser(), server.browser(), server.browser())
                    let page = try await server.open(path, as: person, in: browser)
                    let form = try #require(page.form("/continue/") ?? page.form("/connect/"))
                    // Somebody who has not even signed in yet.
                    let signIn = try await early.follow(early.get(path))
                    try await change.apply(on: server)
                    let remark = "\(change) \(index)"
                    expectPage(try await browser.get(form.action), change, remark)
                    for decision in [decision, "deny"] {
                        let typed = ["decision": decision, "email_choice": "share"]
                        expectPage(try await browser.submit(form, typed), change, "\(remark) \(decision)")
                    }
                    let entered = try await early.submit(
                        signIn.form("/sign-in"), ["username": person.userName, "password": District.password])
                    expectPage(try await early.follow(entered), change, "\(remark) signing in")
                    #expect(try await server.count("authorization_code") == 0)
                    // A new request is refused too.
                    let anew = try await elsewhere.get(path)
                    #expect(anew.redirectParameters["code"] == nil, "\(remark)")
                }
            }
        }
    }

    @Test("a code that is on its way is worth nothing then", arguments: TestDatabase.available)
    func redeeming(_ kind: TestDatabase) async throws {
        for change in Change.allCases {
            try await TestServer.with(on: kind) { server in
                let standard = StandardClient(
                    server: server, app: server.quizzler, secret: try await server.makeSecret())
                let codes = (
                    try await server.signInCode(as: server.maple.nadia),
                    try await server.standardCode(as: server.maple.nadia), try await server.code(server.quizzler)
                )
                try await change.apply(on: server)
                let answers = [
                    try await server.redeemSignIn(codes.0), try await standard.redeem(codes.1),
                    try await server.redeem(codes.2, server.quizzler),
                ]
                #expect(
                    answers.map(\.error)
                        == Array(repeating: change == .app ? "invalid_client" : "invalid_grant", count: 3))
                #expect(try await server.count("access_grant") == 0)
            }
        }
    }

    @Test(
        "an app that is off the organization's list gets nothing for a code that it has",
        arguments: TestDatabase.available)
    func unlisted(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (person, roster) = (
                try await server.signInCode(as: server.maple.nadia), try await server.code(server.quizzler)
            )
            try await server.quizzler.list(
                in: server.maple.organization.id, false, of: server.database, at: server.fixed.now)
            #expect(try await server.redeem(roster, server.quizzler).error == "invalid_grant")
            try await server.changeSignIn(.mode(.allowOnlyListedApps), .unlist(server.quizzler.app.id))
            #expect(try await server.redeemSignIn(person).error == "invalid_grant")
            #expect(try await server.count("access_grant") == 0)
        }
    }

    @Test(
        "scopes that were taken away are not delivered: not with the answer, not with the code, not later",
        arguments: TestDatabase.available)
    func scopes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let maria = try await server.addPersonal()
            let standard = StandardClient(server: server, app: server.quizzler, secret: try await server.makeSecret())
            func claims(_ tokens: Tokens) async throws -> Set<String> {
                let all = Set(try await server.verified(tokens.identity).claims.keys)
                return all.intersection(["email", "email_verified", "name", "given_name"])
            }
            let before = try await server.tokens(server.grouped(), as: server.maple.nadia)
            #expect(try await claims(before) == ["email", "email_verified"])
            let (one, two, three) = (server.browser(), server.browser(), server.browser())
            let apple = try await server.open(
                server.signInPath(server.quizzler, ["response_type": "code id_token"]), as: maria, in: one)
            let plain = try await server.open(
                server.standardPath(server.quizzler, scope: "openid profile email"), as: maria, in: two)
            let consent = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: three)
            let code = try await server.standardCode(as: server.maple.nadia, scope: "openid profile email")

            let app = server.quizzler.app
            try await server.database.write {
                try app.put(name: app.name, scopes: ScopeSet([.name, .usersRead]), in: $0)
            }
            let fields = try #require(try await server.proceed(apple, as: maria, in: one).carried)
            #expect(fields["user"] == #"{"name":{"firstName":"Maria","lastName":"Ruiz"}}"#)
            #expect(try await server.verified(fields["id_token"] ?? "").claims["email"] == nil)
            #expect(try await claims(TestServer.tokens(server.redeemSignIn(fields["code"] ?? ""))) == [])
            let answer = try await server.proceed(plain, as: maria, in: two).carried?["code"] ?? ""
            for code in [answer, code] {
                let redeemed = try await standard.redeem(code)
                #expect(redeemed.json["scope"] as? String == "profile openid")
                let tokens = try TestServer.tokens(redeemed)
                #expect(try await claims(tokens) == ["name", "given_name"])
                #expect(try await standard.userInfo(tokens.access).json["email"] == nil)
            }
            let allowed = try await three.submit(consent.form("/connect/"), ["decision": "allow"])
            let roster = try TestServer.tokens(
                try await server.redeem(allowed.redirectParameters["code"] ?? "", server.quizzler))
            #expect(try await server.roster("/users", roster).status == 200)
            #expect(try await server.roster("/classes", roster).status == 403)
            let (maple, now) = (server.maple.organization.id, server.fixed.now)
            let given = try await server.database.read {
                try Consent.living(app: app.id, organization: maple, at: now, in: $0)?.scopes.text
            }
            #expect(given == "edu.users.read")
            // What somebody shared before is not told any more either.
            let later = try TestServer.tokens(try await server.refreshSignIn(before.refresh, server.grouped()))
            #expect(try await claims(later) == [])
        }
    }

    @Test(
        "an app that lost all that it asks for gets no answer, and the page says so wherever its person is",
        arguments: TestDatabase.available)
    func allScopes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (browser, early) = (server.browser(), server.browser())
            let consent = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            let form = try #require(consent.form("/connect/"))
            let signIn = try await early.follow(early.get(server.authorizePath(server.quizzler)))
            let app = server.quizzler.app
            try await server.database.write { try app.put(name: app.name, scopes: ScopeSet([.name]), in: $0) }
            var answers = [try await browser.get(form.action)]
            for decision in ["allow", "deny"] { answers.append(try await browser.submit(form, ["decision": decision])) }
            let typed = ["username": server.maple.administrator.userName, "password": District.password]
            answers.append(try await early.follow(early.submit(signIn.form("/sign-in"), typed)))
            answers.append(try await server.browser().get(server.signInPath(server.quizzler, ["scope": "email"])))
            for (index, answer) in answers.enumerated() {
                #expect(answer.status == 400, "\(index)")
                #expect(answer.heading == "This app may not ask for this", "\(index)")
                #expect(answer.carried == nil && answer.location.isEmpty, "\(index)")
            }
            #expect(try await server.count("consent") == 0)
            #expect(try await server.count("authorization_code") == 0)
        }
    }

    @Test("an app that has to prove its codes is refused without a challenge")
    func policy() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let app = server.quizzler.app
            try await server.database.write { try app.put(requiresProofKey: true, in: $0) }
            let proof = ["code_challenge": Proof.challenge, "code_challenge_method": "S256"]
            let browser = server.browser()
            #expect(try await browser.get(client.path()).redirectParameters["error"] == "invalid_request")
            #expect(try await browser.get(server.signInPath(server.quizzler)).status == 400)
            #expect(
                try await browser.get(server.authorizePath(server.quizzler)).redirectParameters["error"]
                    == "invalid_request")
            let code = try await server.standardCode(as: server.maple.nadia, proof)
            #expect(try await client.redeem(code).error == "invalid_grant")
            #expect(try await client.redeem(code, ["code_verifier": Proof.verifier]).status == 200)
            // A device has no return URL, and its code is its own.
            let device = try await client.startDevice(scope: "openid")
            try await client.approve(device, as: server.maple.nadia)
            #expect(try await client.poll(device).status == 200)
        }
    }

    @Test("a challenge without a value, or a method without a challenge, is no request without one")
    func halfChallenges() async throws {
        try await TestServer.with { server in
            _ = try await StandardClient.secret(on: server)
            for half in [
                "&code_challenge=", "&code_challenge=&code_challenge_method=S256", "&code_challenge_method=S256",
            ] {
                let browser = server.browser()
                let standard = try await browser.get(server.standardPath(server.quizzler) + half)
                #expect(standard.redirectParameters["error"] == "invalid_request", "\(half)")
                #expect(try await browser.get(server.signInPath(server.quizzler) + half).status == 400, "\(half)")
                let roster = try await browser.get(server.authorizePath(server.quizzler) + half)
                #expect(roster.redirectParameters["error"] == "invalid_request", "\(half)")
            }
        }
    }

    @Test("requests in an object of their own, or with a registration, are not taken for others")
    func requestObjects() async throws {
        try await TestServer.with { server in
            for (parameter, error) in [
                ("request", "request_not_supported"), ("request_uri", "request_uri_not_supported"),
            ] {
                let more = [parameter: "https://com.quizzler.example/r"]
                let browser = server.browser()
                for path in [server.standardPath(server.quizzler, more), server.authorizePath(server.quizzler, more)] {
                    #expect(try await browser.get(path).redirectParameters["error"] == error)
                }
                let page = try await browser.get(
                    server.signInPath(server.quizzler, more), ["Accept": "application/json"])
                #expect(page.status == 400 && page.error == error)
            }
            let path = server.standardPath(server.quizzler, ["registration": "{}"])
            #expect(
                try await server.browser().get(path).redirectParameters["error"] == "registration_not_supported")
        }
    }
}
