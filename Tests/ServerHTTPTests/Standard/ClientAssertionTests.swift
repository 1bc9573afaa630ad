import Authorization
import Fixtures
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing

@testable import TestServers

/// `private_key_jwt`. RFC 7523 §3, OpenID Connect Core §9.
@Suite struct ClientAssertionTests {
    private static let issuer = "\(TestServer.baseURL)/oidc"

    /// Shows an assertion; past client authentication there is a token that nobody knows.
    private static func send(
        _ claims: [String: Any] = [:], _ header: [String: Any] = [:], _ signature: TestApp.Signature = .raw,
        _ more: [String: String] = [:], on server: TestServer
    ) async throws -> Answer {
        let assertion = try server.quizzler.secret(
            at: server.fixed.now,
            claims: ["iss": "com.quizzler", "aud": "\(issuer)/token", "jti": "\(UUID())"].merging(claims) { $1 },
            header: header, signature: signature)
        let fields = [
            "grant_type": "refresh_token", "refresh_token": "x", "client_assertion": assertion,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
        return try await server.standardCall("token", fields.merging(more) { $1 })
    }

    @Test("an assertion that says whose it is, for whom, and since when, opens the door")
    func accepted() async throws {
        try await TestServer.with { server in
            let time = Int(server.fixed.now.timeIntervalSince1970)
            for claims: [String: Any] in [
                [:], ["aud": Self.issuer], ["aud": [Self.issuer]], ["iat": time - 3_600], ["iat": time + 120],
                ["nbf": time + 120],
            ] {
                for more in [[:], ["client_id": "com.quizzler"]] {
                    let answer = try await Self.send(claims, [:], .raw, more, on: server)
                    #expect(answer.line.hasPrefix(#"400 {"error":"invalid_grant""#), "\(claims)")
                }
            }
        }
    }

    @Test("whatever is missing, loose or for others closes it")
    func refused() async throws {
        try await TestServer.with { server in
            let time = Int(server.fixed.now.timeIntervalSince1970)
            let claims: [[String: Any]] = [
                ["jti": NSNull()], ["jti": ""], ["jti": 7], ["nbf": time + 121], ["iat": NSNull()], ["iat": 0],
                ["iat": time - 3_721], ["iat": "now"], ["iat": time + 121],
                ["aud": ["https://elsewhere.example", Self.issuer, "\(Self.issuer)/token"]],
                ["aud": [Self.issuer, "\(Self.issuer)/token"]], ["aud": ["https://elsewhere.example"]],
                ["aud": [String]()], ["aud": "https://appleid.apple.com"], ["aud": TestServer.baseURL],
                ["iss": server.quizzler.team.publicID], ["sub": "org.rival"], ["sub": "com.quizzler\0"],
                ["exp": time - 120], ["exp": time + 3_721],
            ]
            var answers: [Answer] = []
            for claims in claims { answers.append(try await Self.send(claims, on: server)) }
            answers += [
                try await Self.send([:], [:], .der, on: server),
                try await Self.send([:], [:], .byAnotherKey, on: server),
                try await Self.send([:], ["alg": "none"], .missing, on: server),
                try await Self.send([:], ["alg": "HS256"], on: server),
                try await Self.send([:], ["kid": server.rival.keyID], on: server),
                try await Self.send([:], ["crit": ["b64"], "b64": false], on: server),
                try await Self.send([:], [:], .raw, ["client_id": "org.rival"], on: server),
                try await Self.send([:], [:], .raw, ["client_assertion": "x"], on: server),
            ]
            for (index, answer) in answers.enumerated() {
                #expect(answer.line.hasPrefix(#"401 {"error":"invalid_client""#), "\(index)")
            }
        }
    }

    @Test(
        "a client id with a NUL byte, wherever it stands, is refused and no failure",
        arguments: TestDatabase.available)
    func nul(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let form = ["grant_type": "refresh_token", "refresh_token": "x", "token": "x"]
            for path in ["token", "revoke", "device_authorization"] {
                let answer = try await server.standardCall(path, form, basic: "a%00b:x")
                #expect(answer.line.hasPrefix(#"401 {"error":"invalid_client""#), "\(path)")
                #expect(try await server.standardCall(path, form.merging(["client_id": "a\0b"]) { $1 }).status == 400)
            }
            #expect(try await Self.send(["iss": "a\0b", "sub": "a\0b"], on: server).status == 401)
            let secret = try server.quizzler.secret(at: server.fixed.now)
            let basic = Data("a%00b:\(secret)".utf8).base64EncodedString()
            for path in ["/auth/token", "/auth/revoke", "/auth/usermigrationinfo"] {
                let answer = try await server.browser().send(
                    .POST, path,
                    ["Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic \(basic)"],
                    body: Browser.encode(form.map { $0 }))
                #expect(answer.line.hasPrefix(#"400 {"error":"invalid_client""#), "\(path)")
            }
            #expect(!server.log.lines.contains { $0.level == .error })
        }
    }

    @Test("parameters that nobody reads are there once too, and the text is UTF-8")
    func strictForms() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            func post(_ path: String, _ body: String, charset: String = "") async throws -> Answer {
                try await server.browser().send(
                    .POST, path, ["Content-Type": "application/x-www-form-urlencoded\(charset)"], body: body)
            }
            let credentials = "client_id=com.quizzler&client_secret=\(client.secret ?? "")"
            let refresh = "grant_type=refresh_token&refresh_token=x&\(credentials)"
            for path in ["/oidc/token", "/auth/token", "/auth/oauth2/v2/token"] {
                for repeated in ["code_verifier=a&code_verifier=b", "unknown=1&unknown=1"] {
                    let answer = try await post(path, "\(refresh)&\(repeated)")
                    #expect(answer.line.hasPrefix(#"400 {"error":"invalid_request""#), "\(path) \(repeated)")
                }
                for charset in ["; charset=utf-16", ";charset=ISO-8859-1"] {
                    #expect(try await post(path, refresh, charset: charset).error == "invalid_request")
                }
            }
            for charset in ["", ";charset=UTF-8", "; charset=\"utf-8\""] {
                #expect(try await post("/oidc/token", refresh, charset: charset).error == "invalid_grant")
            }
            for repeated in ["prompt=a&prompt=b", "max_age=1&max_age=2", "unknown=1&unknown=1"] {
                let path = server.authorizePath(server.quizzler) + "&" + repeated
                #expect(try await server.browser().get(path).redirectParameters["error"] == "invalid_request")
            }
        }
    }
}
