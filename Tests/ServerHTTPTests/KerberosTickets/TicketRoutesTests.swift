import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// `/sign-in/ticket`, without a ticket that is right: those come from a real realm, in `Tests/EndToEnd/kerberos`.
@Suite struct TicketRoutesTests {
    private static let firefox = ["User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0"]
    private static let edge = ["User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0.0.0 Edg/130.0.0.0"]
    private static let noTicket = ["Authorization": "Negotiate \(Data("no ticket".utf8).base64EncodedString())"]

    /// A server that has a keytab, and an organization, Maple, that trusts a realm.
    private static func with(
        on kind: TestDatabase = .sqlite, configure: (inout ServerConfiguration) throws -> Void = { _ in },
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await KeytabFile(["HTTP/id.school.example"]).written { path in
            try await TestServer.with(
                on: kind,
                configure: {
                    $0.kerberos = KerberosConfiguration(keytab: path)
                    try configure(&$0)
                }
            ) { server in
                let (organization, now) = (server.maple.organization.id, server.fixed.now)
                let realm = try KerberosRealm(name: "MAPLE.EXAMPLE", matching: .userName, domain: "maple.example")
                #expect(try await server.database.write { try realm.put(for: organization, at: now, in: $0) })
                try await body(server)
            }
        }
    }

    /// The path of an absolute address of the server.
    private static func path(_ address: String) throws -> String {
        try #require(address.hasPrefix("\(TestServer.baseURL)/"), "\(address)")
        return String(address.dropFirst(TestServer.baseURL.count))
    }

    /// Where the sign-in page leads a browser that shows no window of its own.
    private static func path(for browser: Browser) async throws -> String {
        try path(try await browser.get("/sign-in?continue=/account", firefox).location)
    }

    @Test("a browser is asked for a ticket at an address that was made for it, and nowhere else")
    func bound() async throws {
        try await Self.with { server in
            let browser = server.browser()
            let path = try await Self.path(for: browser)
            #expect(path.hasPrefix("/sign-in/ticket?continue=%2Faccount&browser="))
            let asked = try await browser.get(path, Self.firefox)
            #expect(asked.status == 401 && asked["WWW-Authenticate"] == "Negotiate")
            #expect(asked.form("/sign-in") != nil && !asked.body.contains("This address counts only"))

            // Another browser, one without cookies, and addresses that any site can write.
            let proof = try #require(path.components(separatedBy: "browser=").last)
            for (other, path) in [
                (server.browser(), path), (server.browser(), "/sign-in/ticket"),
                (browser, "/sign-in/ticket?continue=/account"), (browser, "/sign-in/ticket?browser="),
                (browser, "/sign-in/ticket?browser=\(proof.dropLast(2))"),
                (browser, "/sign-in/ticket?browser=\(try #require(asked.form("/sign-in")?.fields["csrf_token"]))"),
            ] {
                for headers in [Self.firefox, Self.firefox.merging(Self.noTicket) { $1 }] {
                    let answer = try await other.get(path, headers)
                    #expect(answer.status == 403 && answer["WWW-Authenticate"] == nil, "\(path)")
                    #expect(answer.body.contains("This address counts only in the browser"), "\(path)")
                    #expect(answer.form("/sign-in") != nil)
                }
            }
            // What is no ticket is looked at only there.
            #expect(!server.log.lines.contains { $0.message == "ticket refused" })
            let refused = try await browser.get(path, Self.noTicket)
            #expect(refused.status == 403 && refused.body.contains("is not valid here"))
        }
    }

    @Test("links and redirections are absolute, so that no user name in the page’s own address goes along")
    func absolute() async throws {
        try await Self.with { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-in?continue=/account", Self.edge)
            #expect(page.status == 200)
            let link = try #require(page.link("Sign in with the school’s or company’s network"))
            let asked = try await browser.get(try Self.path(link), Self.edge)
            #expect(asked.status == 401 && asked.body.contains("has not shown a ticket"))

            // The page that an outdated address leads to has a link with which it goes on.
            let outdated = try await server.browser().get("/sign-in/ticket?continue=/account", Self.firefox)
            let again = try #require(outdated.link("Sign in with the school’s or company’s network"))
            #expect(again.contains("&chosen=true&"))

            // For an app it is the same.
            let app = server.browser()
            let parked = try await app.get(server.standardPath(server.quizzler), Self.firefox)
            let first = try await app.get(parked.location, Self.firefox)
            #expect(try await app.get(try Self.path(first.location), Self.firefox).status == 401)
        }
    }

    @Test("who has begun with a ticket has not confirmed the app by a code; who has typed the password has")
    func seenPage() async throws {
        try await Self.with { server in
            let (nadia, organization) = (server.maple.nadia, server.maple.organization)
            let client = try await StandardClient.secret(on: server)
            _ = try await client.tokens(as: nadia)
            try await server.database.write { try organization.put(asksEveryTime: true, in: $0) }
            let secret = try await server.addOneTimeCodes(to: nadia)
            for (methods, heading) in [(SignInMethods.kerberos, "Continue to Quizzler"), (.password, nil)] {
                server.fixed.advance(by: 60)
                let browser = server.browser()
                let target = try await browser.get(client.path()).location
                let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
                let pending = try await server.database.write {
                    try PendingSignIn.insert(for: nadia.id, by: methods, at: now, from: surroundings, in: $0)
                }
                browser.cookies["__Host-lanyard-pending"] = pending.text
                let page = try await browser.get(FactorRoutes.path(then: target))
                let code = OneTimeCode.code(of: secret, step: OneTimeCode.step(at: now))
                let entered = try await browser.submit(page.form("/sign-in/factor"), ["code": code])
                #expect(entered.location == target)
                let next = try await browser.follow(entered)
                #expect(next.heading == heading && (next.redirectParameters["code"] != nil) == (heading == nil))
            }
        }
    }

    @Test("an address that shows too many false tickets has to wait; passwords count there as before")
    func budget() async throws {
        let ntlm = ["Authorization": "Negotiate \(Data("NTLMSSP\u{0}1".utf8).base64EncodedString())"]
        try await Self.with(configure: { $0.wrongPasswords.burst = 3 }) { server in
            let browser = server.browser()
            let path = try await Self.path(for: browser)
            // What computers send that have no ticket is no guess.
            for _ in 0..<10 { #expect(try await browser.get(path, ntlm).status == 403) }
            for _ in 0..<3 { #expect(try await browser.get(path, Self.noTicket).status == 403) }
            let wait = try await browser.get(path, Self.noTicket)
            #expect(wait.status == 429 && wait["Retry-After"] == "30" && wait["WWW-Authenticate"] == nil)
            #expect(wait.body.contains("There were too many tries. Wait 1 minute, then try again."))
            #expect(try await server.signIn(server.maple.ben.userName, in: server.browser()).status == 303)
            server.fixed.advance(by: 30)
            #expect(try await browser.get(path, Self.noTicket).status == 403)
        }
    }

    @Test("signing out keeps a browser from being asked at once, and leaves nothing where nobody was signed in")
    func signingOut() async throws {
        try await Self.with { server in
            let (browser, stranger) = (server.browser(), server.browser())
            try await server.signIn(server.maple.ben.userName, in: browser)
            let account = try await browser.get("/account")
            let done = try await browser.submit(account.form("/sign-out"))
            #expect(done.cookies.contains { $0.hasPrefix("__Host-lanyard-signed-out=1") })
            #expect(try await browser.get("/sign-in", Self.firefox).status == 200)

            // The form of a page that is still open after the session has ended, as in another tab.
            let page = try await stranger.get("/sign-in")
            let token = try #require(page.form("/sign-in")?.fields["csrf_token"])
            let nothing = try await stranger.post("/sign-out", ["csrf_token": token, "continue": "/signed-out"])
            #expect(nothing.status == 303 && nothing.cookies.isEmpty)
            #expect(try await stranger.get("/oidc/logout").cookies.isEmpty)
            #expect(try await stranger.get("/sign-in", Self.firefox).status == 303)
        }
    }

    /// What was shown, and the `acr` and `amr` of that.
    private static let waysIn: [(SignInMethods, String, [String])] = [
        (.kerberos, "urn:lanyard:acr:kerberos", ["wia"]),
        ([.kerberos, .oneTimeCode], "urn:lanyard:acr:multi-factor", ["wia", "otp", "mfa"]),
        ([.kerberos, .recoveryCode], "urn:lanyard:acr:multi-factor", ["wia", "otp", "mfa"]),
        ([.kerberos, .passkey], "urn:lanyard:acr:multi-factor", ["wia", "swk", "mfa"]),
        ([.kerberos, .passkey, .userVerified], "urn:lanyard:acr:multi-factor", ["wia", "swk", "user", "mfa"]),
    ]

    /// Gives a browser a session that began by a ticket.
    private static func enter(_ browser: Browser, by methods: SignInMethods, in server: TestServer) async throws {
        let (nadia, now, surroundings) = (server.maple.nadia, server.fixed.now, server.fixed.surroundings)
        let token = try await server.database.write { transaction in
            try nadia.activate(in: transaction)
            return try BrowserSession.insert(
                for: nadia.id, by: methods, userAgent: nil, at: now, from: surroundings, in: transaction)
        }
        browser.cookies["__Host-lanyard-session"] = token.text
    }

    @Test(
        "apps are told of the ticket, and of what was shown beside it, but of no password",
        arguments: waysIn)
    func told(_ methods: SignInMethods, _ context: String, _ words: [String]) async throws {
        try await Self.with { server in
            let (client, nadia) = (try await StandardClient.secret(on: server), server.maple.nadia)
            let browser = server.browser()
            try await Self.enter(browser, by: methods, in: server)
            let tokens = try await client.tokens(as: nadia, in: browser)
            let claims = try await server.verified(tokens.identity).claims
            #expect(claims["acr"] as? String == context && claims["amr"] as? [String] == words)

            // An app that insists on a password gets one, and an app that wants no page hears why not.
            let wish = ["claims": #"{"id_token":{"acr":{"essential":true,"value":"urn:lanyard:acr:password"}}}"#]
            let quiet = try await browser.get(client.path(wish.merging(["prompt": "none"]) { $1 }))
            #expect(quiet.redirectParameters["error"] == "login_required")
            let page = try await browser.follow(browser.get(client.path(wish)))
            #expect(page.form("/sign-in") != nil && page.link("Sign in with the school’s or company’s network") == nil)
            let typed = try await browser.follow(server.signIn(nadia.userName, on: page, in: browser))
            let code = try #require(typed.redirectParameters["code"])
            let password = try TestServer.tokens(try await client.redeem(code))
            let after = try await server.verified(password.identity).claims
            #expect(after["acr"] as? String == "urn:lanyard:acr:password" && after["amr"] as? [String] == ["pwd"])
        }
    }
}
