import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import Testing
import TestSupport

@testable import TestServers

/// Every row of the error table of the token and revocation endpoints: HTTP 400 and one word.
@Suite struct TokenErrorTests {
    private static func refusal(_ code: String) -> String { #"400 {"error":"\#(code)"}"# }

    @Test("invalid_request: what is missing, doubled or malformed")
    func invalidRequest() async throws {
        try await TestServer.with { server in
            let quizzler = server.quizzler
            let secret = try quizzler.secret(at: server.fixed.now)
            let good = [
                "client_id": "com.quizzler", "client_secret": secret, "grant_type": "refresh_token",
                "refresh_token": "r",
            ]
            for field in ["client_id", "grant_type", "refresh_token"] {
                let answer = try await server.token(quizzler, good.merging([field: ""]) { _, new in new })
                #expect(answer.line == Self.refusal("invalid_request"), "without \(field)")
            }
            let code = try await server.token(quizzler, ["grant_type": "authorization_code", "redirect_uri": "x"])
            #expect(code.line == Self.refusal("invalid_request"))
            let body = Browser.encode(good.map { $0 })
            for (field, value) in good {
                let doubled = "\(body)&\(field)=\(Browser.escape(value))"
                let answer = try await Self.post(doubled, server)
                #expect(answer.line == Self.refusal("invalid_request"), "\(field) twice")
            }
            // One that nobody reads, too.
            #expect(try await Self.post("\(body)&state=1&state=2", server).line == Self.refusal("invalid_request"))
            for broken in ["\(body)&x=%", "\(body)&x=%4", "\(body)&x=%zz", "\(body)&x=%ff", "%c3%28=\(body)"] {
                #expect(
                    try await Self.post(broken, server).line == Self.refusal("invalid_request"), "\(broken.suffix(8))")
            }
            #expect(try await Self.post("", server).line == Self.refusal("invalid_request"))
        }
    }

    private static func post(
        _ body: String, _ server: TestServer, type: String? = "application/x-www-form-urlencoded",
        _ headers: [String: String] = [:], to path: String = "token"
    ) async throws -> Answer {
        var headers = headers
        headers["Content-Type"] = type
        return try await server.browser().send(.POST, "/auth/oauth2/v2/\(path)", headers, body: body)
    }

    @Test("invalid_request: another content type, an Authorization header, a second assertion, a long body")
    func invalidTransport() async throws {
        try await TestServer.with { server in
            let secret = try server.quizzler.secret(at: server.fixed.now)
            let fields = [
                "client_id": "com.quizzler", "client_secret": secret, "grant_type": "refresh_token",
                "refresh_token": "r", "token": "r",
            ]
            let body = Browser.encode(fields.map { $0 })
            let json = String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
            for path in ["token", "revoke"] {
                for type in ["application/json", "text/plain", "multipart/form-data", nil] {
                    let answer = try await Self.post(
                        type == "application/json" ? json : body, server, type: type, to: path)
                    #expect(answer.line == Self.refusal("invalid_request"), "\(type ?? "none")")
                }
                for header in ["Basic Y29tOnF1aXo=", "Bearer x"] {
                    let answer = try await Self.post(body, server, ["Authorization": header], to: path)
                    #expect(answer.line == Self.refusal("invalid_request"))
                }
                let assertion =
                    body + "&client_assertion=x&client_assertion_type="
                    + "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
                #expect(try await Self.post(assertion, server, to: path).line == Self.refusal("invalid_request"))
                let long = try await Self.post(body + "&x=" + String(repeating: "x", count: 65_536), server, to: path)
                #expect(long.line == Self.refusal("invalid_request"))
            }
            let upper = try await Self.post(body, server, type: "Application/X-WWW-Form-Urlencoded ; charset=UTF-8")
            #expect(upper.line == Self.refusal("invalid_grant"))
        }
    }

    @Test("invalid_client: unknown client, missing secret, revoked key, absent or mismatched redirect URI")
    func invalidClient() async throws {
        try await TestServer.with { server in
            let (quizzler, now) = (server.quizzler, server.fixed.now)
            let code = try await server.code(quizzler)
            for changes in [
                ["client_id": "com.unknown"], ["client_id": "COM.QUIZZLER"], ["client_secret": ""],
                ["redirect_uri": ""], ["redirect_uri": quizzler.redirectURI + "/"],
                ["redirect_uri": quizzler.redirectURI + "?tenant=a"],
            ] {
                #expect(
                    try await server.redeem(code, quizzler, changes).line == Self.refusal("invalid_client"),
                    "\(changes)")
            }
            // None of them used the code up.
            #expect(try await server.redeem(code, quizzler).status == 200)

            try await server.database.write { transaction in
                let key = try TeamKey.find(quizzler.keyID, in: transaction)
                _ = try key?.revoke(at: now, in: transaction)
            }
            #expect(
                try await server.token(quizzler, ["grant_type": "refresh_token", "refresh_token": "r"]).line
                    == Self.refusal("invalid_client"))
            #expect(try await server.revoke("r", quizzler).line == Self.refusal("invalid_client"))
        }
    }

    @Test("invalid_grant: unknown, expired, another client's", arguments: TestDatabase.available)
    func invalidGrant(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (quizzler, rival) = (server.quizzler, server.rival)
            let tokens = try await server.connect()
            let code = try await server.code(quizzler)
            #expect(try await server.redeem("unknown", quizzler).line == Self.refusal("invalid_grant"))
            #expect(try await server.redeem(tokens.refresh, quizzler).line == Self.refusal("invalid_grant"))
            let byRival = try await server.redeem(code, rival, ["redirect_uri": quizzler.redirectURI])
            #expect(byRival.line == Self.refusal("invalid_grant"))
            #expect(try await server.refresh(tokens.refresh, rival).line == Self.refusal("invalid_grant"))
            for token in [tokens.access, code, "unknown"] {
                #expect(try await server.refresh(token, quizzler).line == Self.refusal("invalid_grant"))
            }
            server.fixed.advance(by: 300)
            #expect(try await server.redeem(code, quizzler).line == Self.refusal("invalid_grant"))
            #expect(try await server.refresh(tokens.refresh, quizzler).status == 200)
        }
    }

    @Test("a code is good for five minutes, less one second")
    func codeLife() async throws {
        try await TestServer.with { server in
            let code = try await server.code(server.quizzler)
            server.fixed.advance(by: 299)
            #expect(try await server.redeem(code, server.quizzler).status == 200)
        }
    }

    @Test("unsupported_grant_type: every grant but two, for an authenticated client only")
    func grantTypes() async throws {
        try await TestServer.with { server in
            for type in [
                "client_credentials", "password", "Authorization_Code", "urn:ietf:params:oauth:grant-type:device_code",
            ] {
                let answer = try await server.token(server.quizzler, ["grant_type": type, "code": "x"])
                #expect(answer.line == Self.refusal("unsupported_grant_type"))
                let stranger = try await server.token(server.quizzler, ["grant_type": type, "client_secret": "x"])
                #expect(stranger.line == Self.refusal("invalid_client"))
            }
        }
    }

    @Test("revoke: token is required, an odd hint is refused, a contradicting one and another's token change nothing")
    func revocation() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            #expect(try await server.revoke("", server.quizzler).line == Self.refusal("invalid_request"))
            let odd = try await server.revoke(tokens.refresh, server.quizzler, ["token_type_hint": "id_token"])
            #expect(odd.line == Self.refusal("invalid_request"))
            #expect(try await server.revoke(tokens.refresh, server.rival).line == "200 ")
            #expect(try await server.roster("/users", tokens).status == 200)
            for hint in ["access_token", "refresh_token"] {
                let tokens = try await server.connect()
                #expect(
                    try await server.revoke(tokens.refresh, server.quizzler, ["token_type_hint": hint]).status == 200)
                #expect(try await server.roster("/users", tokens).status == 401)
            }
        }
    }

    @Test("an error answer has the documented headers, and the log says which check failed")
    func headersAndLog() async throws {
        try await TestServer.with { server in
            let answer = try await server.redeem("unknown", server.quizzler)
            #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer["Pragma"] == "no-cache")
            let id = try #require(answer["X-Request-Id"])
            let reasons = server.log.lines.filter { $0.metadata["hb.request.id"] == id }.compactMap {
                $0.metadata["reason"]
            }
            #expect(reasons == ["the code is unknown"])
        }
    }

    @Test("no secret stands in the log, whatever happens")
    func nothingLeaks() async throws {
        try await TestServer.with { server in
            let code = try await server.code(server.quizzler)
            let secret = try server.quizzler.secret(at: server.fixed.now)
            let answer = try await server.redeem(code, server.quizzler, ["client_secret": secret])
            let refresh = try #require(answer.json["refresh_token"] as? String)
            let access = try #require(answer.json["access_token"] as? String)
            _ = try await server.roster("/users?pageToken=x", bearer: access)
            _ = try await server.redeem(code, server.quizzler)
            _ = try await server.refresh(refresh, server.quizzler)
            let log = server.log.lines.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n")
            for text in [code, secret, refresh, access, District.password, "Nadia", "maple.example"] {
                #expect(!log.contains(text))
            }
        }
    }
}
