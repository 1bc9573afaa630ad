@testable import Authorization
import Fixtures
import Ground
import Storage
import TestSupport
import Testing

@Suite struct AuthorizationRequestTests {
    typealias Changes = [String: String?]
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  // RFC 7636 appendix B

    /// How a request was refused: whether a page or the app gets the error, and its code.
    private enum Refused: Equatable {
        case page(OAuthError.Code)
        case redirect(OAuthError.Code, AuthorizationResponse)
    }

    private func refused(_ server: AuthorizationServer, _ changes: Changes) async throws -> Refused? {
        do {
            _ = try await server.validate(changes)
            return nil
        } catch AuthorizationRequest.Refusal.page(let error) {
            return .page(error.code)
        } catch AuthorizationRequest.Refusal.redirect(let error, let response) {
            return .redirect(error.code, response)
        }
    }

    @Test("a good request is taken as it is", arguments: TestDatabase.available)
    func accepted(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let request = try await server.validate([
                "nonce": "n-1", "response_mode": "form_post", "code_challenge": Self.challenge,
                "code_challenge_method": "S256",
                "unknown": "ignored",
            ])
            #expect(request.clientID == "com.example.quizzler")
            #expect(request.redirectURI == "https://quizzler.example/callback")
            #expect(request.scopes == ScopeSet([.usersRead, .classesRead]))
            #expect(request.state == "n3kP")
            #expect(request.nonce == "n-1")
            #expect(request.responseMode == .formPost)
            #expect(request.codeChallenge == Self.challenge)

            let plain = try await server.validate(["state": nil])
            #expect(plain.responseMode == .query)
            #expect(plain.state == nil)
            #expect(plain.nonce == nil)
            #expect(plain.codeChallenge == nil)
        }
    }

    @Test("while client and return URL are in doubt, nothing is redirected", arguments: TestDatabase.available)
    func onPage(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let wrong: [(Changes, OAuthError.Code)] = [
                (["client_id": nil], .invalidRequest), (["client_id": ""], .invalidRequest),
                (["client_id": nil, "clientid": "x"], .invalidRequest),
                (["redirect_uri": nil], .invalidRequest), (["redirect_uri": ""], .invalidRequest),
                (["client_id": "com.example.nobody"], .invalidClient),
                (["client_id": "com.example.QUIZZLER"], .invalidClient),
                (["client_id": "com.example.quizzler\0"], .invalidRequest),
                (["redirect_uri": "https://evil.example/callback"], .unauthorizedClient),
                (["redirect_uri": "https://quizzler.example/callback/"], .unauthorizedClient),
                (["redirect_uri": "https://quizzler.example/callback?x=1"], .unauthorizedClient),
                (["redirect_uri": "https://quizzler.example/Callback"], .unauthorizedClient),
                (["redirect_uri": "https://quizzler.example/callback#x"], .unauthorizedClient),
                (["redirect_uri": "https://quizzler.example/callback\0.evil.example"], .invalidRequest),
                (["state": "a\0b"], .invalidRequest),
            ]
            for (changes, code) in wrong {
                let refused = try await refused(server, changes)
                #expect(refused == .page(code), "\(changes)")
            }
            let app = server.registered.app.id
            try await database.write { try $0.execute("UPDATE app SET removed_at = 1 WHERE id = $1", [app]) }
            let removed = try await refused(server, [:])
            #expect(removed == .page(.invalidClient))
        }
    }

    @Test("after that the app hears of its mistakes, with its state and in its mode", arguments: TestDatabase.available)
    func onRedirect(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let long = String(repeating: "x", count: 4_097)
            let wrong: [(Changes, OAuthError.Code)] = [
                (["response_type": nil], .invalidRequest), (["response_type": "token"], .unsupportedResponseType),
                (["response_type": "code id_token"], .unsupportedResponseType),
                (["response_type": "Code"], .unsupportedResponseType),
                (["response_mode": "web_message"], .invalidRequest), (["response_mode": "QUERY"], .invalidRequest),
                (["nonce": long], .invalidRequest),
                (["scope": nil], .invalidScope), (["scope": ""], .invalidScope), (["scope": " "], .invalidScope),
                (["scope": "edu.users.write"], .invalidScope),
                (["scope": "EDU.users.read"], .invalidScope),
                (["scope": "edu.users.read,edu.classes.read"], .invalidScope),
                (["scope": "edu.users.read openid"], .invalidScope),
                (["scope": "edu.users.read edu.rosterapi.test.read"], .invalidScope),
                (["code_challenge": Self.challenge], .invalidRequest),
                (["code_challenge": Self.challenge, "code_challenge_method": "plain"], .invalidRequest),
                (["code_challenge": "short", "code_challenge_method": "S256"], .invalidRequest),
                (["code_challenge": Self.challenge + "A", "code_challenge_method": "S256"], .invalidRequest),
                (
                    ["code_challenge": String(repeating: "+", count: 43), "code_challenge_method": "S256"],
                    .invalidRequest
                ),
            ]
            let response = AuthorizationResponse(
                redirectURI: "https://quizzler.example/callback", mode: .query, state: "n3kP")
            for (changes, code) in wrong {
                let refused = try await refused(server, changes)
                #expect(refused == .redirect(code, response), "\(changes)")
            }
            let inFragment = try await refused(server, ["response_mode": "fragment", "scope": "x", "state": nil])
            #expect(
                inFragment
                    == .redirect(
                        .invalidScope,
                        AuthorizationResponse(redirectURI: response.redirectURI, mode: .fragment, state: nil)))
            let longState = try await refused(server, ["state": long])
            #expect(
                longState
                    == .redirect(
                        .invalidRequest,
                        AuthorizationResponse(redirectURI: response.redirectURI, mode: .query, state: long)))
        }
    }

    @Test(
        "a parameter that is there twice is refused, on the page as long as it may matter there",
        arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            _ = try await AuthorizationServer(database: database)
            let good = [
                ("client_id", "com.example.quizzler"), ("redirect_uri", "https://quizzler.example/callback"),
                ("response_type", "code"),
                ("scope", "edu.users.read"), ("state", "s"), ("response_mode", "query"), ("nonce", "n"),
                ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
            ].map { FormField($0.0, $0.1) }
            for pair in good {
                let onPage = ["client_id", "redirect_uri", "state", "response_mode"].contains(pair.name)
                let parameters = RequestParameters(good + [pair])
                do {
                    _ = try await database.read { try AuthorizationRequest.validate(parameters, in: $0) }
                    Issue.record("accepted: \(pair.name)")
                } catch AuthorizationRequest.Refusal.page(let error) {
                    #expect(onPage && error.code == .invalidRequest, "\(pair.name)")
                } catch AuthorizationRequest.Refusal.redirect(let error, _) {
                    #expect(!onPage && error.code == .invalidRequest, "\(pair.name)")
                }
            }
        }
    }

    @Test(
        "an app gets no more than it is registered for, and the test scope stands alone",
        arguments: TestDatabase.available)
    func scopes(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let test = try await server.validate(["scope": "edu.rosterapi.test.read"])
            #expect(test.scopes == ScopeSet([.testRead]))
            let one = try await server.validate(["scope": " edu.classes.read  edu.classes.read "])
            #expect(one.scopes == ScopeSet([.classesRead]))

            _ = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.users"],
                scopes: [.usersRead])
            for scope in ["edu.classes.read", "edu.users.read edu.classes.read", "edu.rosterapi.test.read"] {
                let refused = try await refused(server, ["client_id": "com.example.users", "scope": scope])
                guard case .redirect(.invalidScope, _) = refused else {
                    Issue.record("\(scope): \(String(describing: refused))")
                    continue
                }
            }
        }
    }

    @Test("scopes of the sibling service pass only if the operator lets them", arguments: TestDatabase.available)
    func ignoredScopes(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let ignored: Set = ["email", "name", "openid"]
            let parameters = server.parameters(["scope": "email name edu.users.read edu.classes.read"])
            let request = try await database.read {
                try AuthorizationRequest.validate(parameters, ignoredScopes: ignored, in: $0)
            }
            #expect(request.scopes == ScopeSet([.usersRead, .classesRead]))
            for scope in ["email name", "email phone edu.users.read"] {
                let parameters = server.parameters(["scope": scope])
                await #expect(throws: AuthorizationRequest.Refusal.self) {
                    try await database.read {
                        _ = try AuthorizationRequest.validate(parameters, ignoredScopes: ignored, in: $0)
                    }
                }
            }
        }
    }
}
