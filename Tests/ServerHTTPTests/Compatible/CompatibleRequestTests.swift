import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import Testing
import TestSupport

@testable import TestServers

/// Requests at `/auth/authorize` that are refused, and the ways in which good ones may be written.
/// docs/specifications/sign-in.md, 1 to 3.
@Suite struct CompatibleRequestTests {
    @Test("every row of the table of errors stays on the page, and is JSON for who prefers it")
    func errors() async throws {
        try await TestServer.with { server in
            let long = String(repeating: "x", count: 2_049)
            let rows: [(String, [String: String], String)] = [
                ("name", ["client_id": ""], "invalid_request"),
                ("name", ["redirect_uri": ""], "invalid_request"),
                ("name", ["response_type": ""], "invalid_request"),
                ("name", ["response_type": "token"], "invalid_request"),
                ("name", ["response_type": "id_token"], "invalid_request"),
                ("name", ["response_type": "code token"], "invalid_request"),
                ("name", ["response_mode": "FORM_POST"], "invalid_request"),
                ("name", ["nonce": long], "invalid_request"),
                ("name", ["state": String(repeating: "x", count: 4_097)], "invalid_request"),
                ("name", ["state": "a\0b"], "invalid_request"),
                ("name", ["code_challenge": Proof.challenge, "code_challenge_method": "plain"], "invalid_request"),
                ("name", ["code_challenge": Proof.challenge], "invalid_request"),
                ("name", ["code_challenge": "short", "code_challenge_method": "S256"], "invalid_request"),
                ("name", ["client_id": "com.unknown"], "invalid_client"),
                ("name", ["client_id": "Com.Quizzler"], "invalid_client"),
                ("name", ["client_id": "<script>"], "invalid_client"),
                ("name", ["redirect_uri": "https://org.rival.example/callback"], "unauthorized_client"),
                ("name", ["scope": "name phone"], "invalid_scope"),
                ("name", ["scope": "Name"], "invalid_scope"),
                ("name", ["scope": "edu.users.read"], "invalid_scope"),
            ]
            for (scope, changes, error) in rows {
                let path = server.signInPath(server.quizzler, scope: scope, changes)
                let page = try await server.browser().get(path)
                #expect(page.status == 400, "\(changes)")
                #expect(page.location.isEmpty)
                #expect(page.body.contains("\(error): "), "\(changes)")
                let json = try await server.browser().get(path, ["Accept": "application/json"])
                #expect(json.line == #"400 {"error":"\#(error)"}"#, "\(changes)")
            }
            #expect(try await server.count("parked_request") == 0)
        }
    }

    @Test("an app that is not registered for a scope does not get it")
    func unregisteredScope() async throws {
        try await TestServer.with { server in
            let app = server.quizzler.app
            try await server.database.write { try app.put(name: app.name, scopes: ScopeSet([.name]), in: $0) }
            let page = try await server.browser().get(server.signInPath(server.quizzler))
            #expect(page.status == 400)
            #expect(
                page.body.contains(
                    "invalid_scope: Application is not authorized to access the requested information."))
            #expect(
                try await server.browser().get(server.signInPath(server.quizzler, scope: "openid name")).status == 302)
        }
    }

    @Test("no address that only looks like a return URL is one, in either profile", arguments: ["/auth", "/oidc"])
    func lookAlikes(_ profile: String) async throws {
        try await TestServer.with { server in
            let good = "https://com.quizzler.example/callback"
            try await server.put(returnURLs: [
                try ReturnURL(good, allowingLoopback: false), try ReturnURL(native: "http://127.0.0.1/callback"),
                try ReturnURL(native: "com.quizzler.app:/callback"),
            ])
            for address in [
                "HTTPS://com.quizzler.example/callback", "https://COM.quizzler.example/callback",
                "https://com.quizzler.example/Callback", "https://com.quizzler.example:443/callback",
                "https://com.quizzler.example:8443/callback", "https://com.quizzler.example./callback",
                "https://com.quizzler.example@evil.example/callback",
                "https://user@com.quizzler.example/callback", "https://com.quizzler.example/x/../callback",
                "https://com.quizzler.example/./callback", "https://com.quizzler.example//callback",
                "https://com.quizzler.example%2fcallback", "https://com.quizzler.example/%63allback",
                "\(good)#", "\(good)#x", "\(good)/", "\(good)?", "\(good)?x=y", "\(good);x", "\(good)%00", " \(good)",
                "\(good) ", "http://com.quizzler.example/callback", "//com.quizzler.example/callback", "/callback",
                "https://com.quizzler.example", "https://evil.example/\(good)",
                "https://com.quizzler.example.evil.example/callback",
                "javascript:alert(1)//\(good)", "data:text/html,x",
                "https://com.quizzler.example\\@evil.example/callback",
                "http://127.0.0.1:49152/callback/", "http://127.0.0.1:49152/callback?x",
                "http://127.0.0.2:49152/callback",
                "http://127.0.0.1:49152@evil.example/callback", "http://localhost:49152/callback",
                "http://127.0.0.1.evil.example/callback", "https://127.0.0.1:49152/callback", "http://127.1/callback",
                "http://[::1]:49152/callback", "http://127.0.0.1:/callback", "http://127.0.0.1:49152/callback#x",
                "com.quizzler.app:/callback/", "com.quizzler.app://callback", "com.quizzler.app:/callback?x",
                "COM.quizzler.app:/callback", "com.quizzler.other:/callback",
            ] {
                let changes = ["redirect_uri": address]
                let path =
                    profile == "/auth"
                    ? server.signInPath(server.quizzler, changes) : server.standardPath(server.quizzler, changes)
                let page = try await server.browser().get(path)
                #expect(page.status == 400, "\(address)")
                #expect(page.location.isEmpty, "\(address)")
                #expect(page.body.contains("unauthorized_client: "), "\(address)")
                // It stands on the page as text.
                #expect(!page.body.contains(#"href="\#(address)""#))
            }
            #expect(try await server.count("parked_request") == 0)
            // And the real ones are taken.
            for address in [good, "http://127.0.0.1:49152/callback", "http://127.0.0.1/callback"] {
                let path =
                    profile == "/auth"
                    ? server.signInPath(server.quizzler, ["redirect_uri": address])
                    : server.standardPath(server.quizzler, ["redirect_uri": address])
                #expect(try await server.browser().get(path).location.hasPrefix("/continue/"), "\(address)")
            }
        }
    }

    @Test("a parameter that is there twice is refused, whichever it is")
    func duplicates() async throws {
        try await TestServer.with { server in
            for name in ["client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "response_mode", "m"]
            {
                let path = server.signInPath(server.quizzler) + "&\(name)=x&\(name)=x"
                let page = try await server.browser().get(path)
                #expect(page.status == 400, "\(name)")
                #expect(page.location.isEmpty)
                #expect(page.body.contains("invalid_request: "), "\(name)")
            }
        }
    }

    @Test("megabytes of state end the request, and not the server")
    func megabytes() async throws {
        try await TestServer.with { server in
            for profile in ["auth", "oidc"] {
                // The server reads 80 KiB of an address, and 64 KiB of a form.
                let path =
                    server.signInPath(server.quizzler).replacingOccurrences(of: "/auth/", with: "/\(profile)/")
                    + "&state="
                let state = String(repeating: "x", count: (80 << 10) + 1 - path.utf8.count)
                let got = try await RawConnection.refusal(of: "GET \(path)\(state)", port: server.port)
                #expect(got == "HTTP/1.1 400 Bad Request\r\n")
                for path in ["authorize", "token"] {
                    let posted = try await RawConnection.refusal(
                        of: """
                            POST /\(profile)/\(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(2 << 20)\r\n\
                            Content-Type: application/x-www-form-urlencoded\r\n\r\n\
                            state=\(String(repeating: "x", count: (64 << 10) + 1 - "state=".utf8.count))
                            """, port: server.port)
                    #expect(posted == "HTTP/1.1 400 Bad Request\r\n", "\(path)")
                }
            }
            let health = try await server.browser().get("/healthz")
            #expect(health.status == 200)
            #expect(try await server.count("parked_request") == 0)
        }
    }

    @Test("what others send along is ignored: openid, prompt, claims, the SDK's own, spaces as plus, bare colons")
    func tolerance() async throws {
        try await TestServer.with { server in
            let nadia = server.maple.nadia
            let path =
                "/auth/authorize?client_id=com.quizzler&redirect_uri=https://com.quizzler.example/callback"
                + "&response_type=code+id_token&scope=openid+name%20email&response_mode=form_post&state=n3kP"
                + "&prompt=none&claims=%7B%7D&frame_id=0e5f&m=11&v=1.5.6&locale=en_US&max_age=0&login_hint=x"
            let fields = try await server.fields(path, as: nadia)
            #expect(Set(fields.keys) == ["code", "id_token", "state", "user"])
            // The other order.
            let other = path.replacingOccurrences(of: "code+id_token", with: "id_token%20code")
            #expect(Set(try await server.fields(other, as: nadia).keys) == ["code", "id_token", "state"])
        }
    }

    @Test("a request may be posted; who posts it comes back by GET, with the cookies that a foreign site's form lacks")
    func posted() async throws {
        try await TestServer.with { server in
            let path = server.signInPath(server.quizzler)
            let query = String(path.split(separator: "?", maxSplits: 1)[1])
            let browser = server.browser()
            let answer = try await browser.send(
                .POST, "/auth/authorize", ["Content-Type": "application/x-www-form-urlencoded"], body: query)
            #expect(answer.status == 303)
            #expect(answer.location == path)
            #expect(try await browser.follow(answer).form("/sign-in") != nil)
            for body in ["a b", "a\r\nSet-Cookie: x=y", "ü"] {
                let refused = try await browser.send(
                    .POST, "/auth/authorize", ["Content-Type": "application/x-www-form-urlencoded"], body: body)
                #expect(refused.status == 400)
            }
        }
    }

    @Test("web_message speaks to the origin of the return URL alone, and no message goes to a program's own scheme")
    func webMessage() async throws {
        try await TestServer.with { server in
            let maria = try await server.addPersonal()
            let page = try await server.answer(
                server.signInPath(
                    server.quizzler, ["response_type": "code id_token", "response_mode": "web_message"]), as: maria)
            #expect(page.attribute("data-target-origin") == "https://com.quizzler.example")
            #expect(page["Cross-Origin-Opener-Policy"] == "unsafe-none")
            let message = try #require(page.message)
            #expect(Set(message.keys) == ["authorization", "user"])
            let authorization = try #require(message["authorization"] as? [String: String])
            #expect(Set(authorization.keys) == ["code", "id_token", "state"])
            #expect(
                canonical(message["user"])
                    == canonical([
                        "email": "maria@home.example", "name": ["firstName": "Maria", "lastName": "Ruiz"],
                    ]))
            #expect(try await server.redeemSignIn(authorization["code"] ?? "").status == 200)

            let address = "com.quizzler.app:/callback"
            try await server.put(returnURLs: [try ReturnURL(native: address)])
            for mode in ["web_message", "form_post"] {
                let path = server.signInPath(server.quizzler, ["redirect_uri": address, "response_mode": mode])
                let refused = try await server.browser().get(path)
                #expect(refused.status == 400)
                #expect(refused.body.contains("invalid_request: Invalid response mode"))
            }
        }
    }

    @Test("PKCE: a challenge needs its verifier, and a verifier its challenge")
    func proofKey() async throws {
        try await TestServer.with { server in
            let ben = server.maple.ben
            let challenge = ["code_challenge": Proof.challenge, "code_challenge_method": "S256"]
            let code = try await server.signInCode(as: ben, challenge)
            for verifier in ["", "x", Proof.challenge, Proof.verifier + "x"] {
                let answer = try await server.redeemSignIn(code, nil, ["code_verifier": verifier])
                #expect(answer.error == "invalid_grant", "\(verifier)")
            }
            #expect(try await server.redeemSignIn(code, nil, ["code_verifier": Proof.verifier]).status == 200)
            let plain = try await server.signInCode(as: ben)
            #expect(
                try await server.redeemSignIn(plain, nil, ["code_verifier": Proof.verifier]).error == "invalid_grant")
        }
    }
}
