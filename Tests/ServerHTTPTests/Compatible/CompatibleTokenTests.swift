import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Testing
import TestSupport

@testable import TestServers

/// The token and revocation endpoints at `/auth`: how clients may authenticate, and what is refused.
/// docs/specifications/sign-in.md, 5 and 6.
@Suite struct CompatibleTokenTests {
    @Test("requests that cannot be read are 400 invalid_request; other grants are unsupported")
    func errors() async throws {
        try await TestServer.with { server in
            let code = ["grant_type": "authorization_code", "code": "x", "redirect_uri": "x"]
            let rows: [([String: String], String)] = [
                ([:], "invalid_request"), (["grant_type": "authorization_code"], "invalid_request"),
                (["grant_type": "refresh_token"], "invalid_request"),
                (code.merging(["client_id": ""]) { _, new in new }, "invalid_request"),
                (code.merging(["client_id": "com.unknown"]) { _, new in new }, "invalid_client"),
                (code.merging(["client_secret": ""]) { _, new in new }, "invalid_client"),
                (["grant_type": "password"], "unsupported_grant_type"),
                (["grant_type": "urn:ietf:params:oauth:grant-type:device_code"], "unsupported_grant_type"),
                (["grant_type": "client_credentials"], "invalid_scope"),
                (["grant_type": "client_credentials", "scope": "name"], "invalid_scope"),
                (code, "invalid_grant"), (["grant_type": "refresh_token", "refresh_token": "x"], "invalid_grant"),
            ]
            for (fields, error) in rows {
                let answer = try await server.call("/auth/token", nil, fields)
                #expect(answer.status == 400)
                #expect(answer.error == error, "\(fields)")
                #expect(answer["Cache-Control"] == "no-store")
            }
            let good = [
                "client_id=com.quizzler", "client_secret=\(try server.quizzler.secret(at: server.fixed.now))",
                "grant_type=refresh_token", "refresh_token=r",
            ]
            let form = "application/x-www-form-urlencoded"
            func post(_ body: String, _ type: String? = form) async throws -> Answer {
                try await server.browser().send(
                    .POST, "/auth/token", type.map { ["Content-Type": $0] } ?? [:], body: body)
            }
            #expect(try await post(good.joined(separator: "&"), "\(form); charset=UTF-8").error == "invalid_grant")
            for repeated in good {
                #expect(try await post((good + [repeated]).joined(separator: "&")).error == "invalid_request")
            }
            for type in ["application/json", "text/plain", nil] {
                #expect(try await post(good.joined(separator: "&"), type).error == "invalid_request")
            }
            for body in ["%", "%zz=1", "client_id=%ff", "client_id=a%00b"] {
                #expect(try await post(body).error == "invalid_request", "\(body)")
            }
            let answer = try await server.browser().send(.GET, "/auth/token?\(good.joined(separator: "&"))")
            #expect(answer.line == #"405 {"error":"invalid_request"}"#)
        }
    }

    @Test("another method than an endpoint has is 405 with Allow, in the words of OAuth")
    func methods() async throws {
        let endpoints: [String: Set<String>] = [
            "/auth/token": ["POST"], "/auth/revoke": ["POST"], "/auth/keys": ["GET", "HEAD"],
            "/auth/usermigrationinfo": ["POST"], "/auth/credentialstate": ["POST"],
            "/auth/oauth2/v2/token": ["POST"], "/auth/oauth2/v2/revoke": ["POST"],
            "/auth/oauth2/v2/keys": ["GET", "HEAD"], "/oidc/token": ["POST"], "/oidc/revoke": ["POST"],
            "/oidc/keys": ["GET", "HEAD"], "/oidc/userinfo": ["GET", "HEAD", "POST"],
            "/oidc/device_authorization": ["POST"],
        ]
        try await TestServer.with { server in
            for (path, allowed) in endpoints {
                for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
                    let answer = try await server.browser().send(HTTPMethod(rawValue: method), path)
                    guard !allowed.contains(method) else {
                        #expect(answer.status != 405, "\(method) \(path)")
                        continue
                    }
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(Set(answer["Allow"]?.components(separatedBy: ", ") ?? []) == allowed, "\(method) \(path)")
                    if method != "HEAD" { #expect(answer.error == "invalid_request") }
                }
            }
        }
    }

    @Test("credentials in the header alone, or there and in the form alike, are good; that differ, invalid_request")
    func basicCredentials() async throws {
        try await TestServer.with { server in
            let secret = try server.quizzler.secret(at: server.fixed.now)
            let other = try server.quizzler.secret(at: server.fixed.now, claims: ["jti": "other"])
            func send(_ credentials: String?, _ form: [String: String], scheme: String = "Basic") async throws
                -> String?
            {
                var headers = ["Content-Type": "application/x-www-form-urlencoded"]
                if let credentials { headers["Authorization"] = "\(scheme) \(credentials)" }
                let body = Browser.encode(
                    form.merging(["grant_type": "refresh_token", "refresh_token": "x"]) { old, _ in old }.map { $0 })
                return try await server.browser().send(.POST, "/auth/token", headers, body: body).error
            }
            func basic(_ id: String, _ secret: String) -> String { Data("\(id):\(secret)".utf8).base64EncodedString() }
            let good = basic("com.quizzler", secret)
            let id = ["client_id": "com.quizzler"]
            // Past client authentication there is a token that nobody knows.
            for form in [[:], id, ["client_secret": secret], id.merging(["client_secret": secret]) { $1 }] {
                #expect(try await send(good, form) == "invalid_grant", "\(form)")
            }
            #expect(try await send(good, [:], scheme: "basic") == "invalid_grant")
            #expect(try await send(basic("com%2Equizzler", secret), [:]) == "invalid_grant")
            for form in [["client_id": "org.rival"], ["client_secret": other]] {
                #expect(try await send(good, form) == "invalid_request", "\(form)")
            }
            for broken in ["", "!", basic("com.quizzler", ""), Data("com.quizzler".utf8).base64EncodedString()] {
                #expect(try await send(broken, [:]) == "invalid_client", "\(broken)")
            }
            // A bearer token authenticates no client.
            #expect(
                try await send("x", id.merging(["client_secret": secret]) { $1 }, scheme: "Bearer") == "invalid_grant")
            #expect(try await send("x", id, scheme: "Bearer") == "invalid_client")
        }
    }

    @Test("keys answer with whatever credentials come along, as some clients take them for userinfo")
    func keys() async throws {
        try await TestServer.with { server in
            let answer = try await server.browser().get("/auth/keys", ["Authorization": "Bearer x"])
            #expect(answer.status == 200)
            #expect(answer["Access-Control-Allow-Origin"] == "*")
            for key in answer.list("keys") {
                #expect(Set(key.keys) == ["kty", "kid", "use", "alg", "n", "e"])
                #expect(key["kty"] as? String == "RSA")
                #expect(key["alg"] as? String == "RS256")
                #expect(key["use"] as? String == "sig")
                #expect(key["e"] as? String == "AQAB")
                #expect((key["n"] as? String)?.count == 342)
            }
        }
    }

    @Test("discovery has the whole known content, and its issuer is the one in tokens")
    func discovery() async throws {
        try await TestServer.with { server in
            let base = TestServer.baseURL
            let document = try await server.browser().get("/.well-known/openid-configuration").json
            #expect(
                canonical(document)
                    == canonical([
                        "issuer": base, "authorization_endpoint": "\(base)/auth/authorize",
                        "token_endpoint": "\(base)/auth/token", "revocation_endpoint": "\(base)/auth/revoke",
                        "jwks_uri": "\(base)/auth/keys", "response_types_supported": ["code"],
                        "response_modes_supported": ["query", "fragment", "form_post"],
                        "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
                        "scopes_supported": ["openid", "email", "name"],
                        "token_endpoint_auth_methods_supported": ["client_secret_post"],
                        "claims_supported": [
                            "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce",
                            "nonce_supported", "org_id", "real_user_status", "sub", "transfer_sub",
                        ],
                        "code_challenge_methods_supported": ["S256"],
                    ]))
        }
    }
}
