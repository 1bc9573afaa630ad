import Authorization
import Crypto
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@testable import TestServers

/// Client secrets and tokens of the compatible profile. docs/specifications/sign-in.md, 4 to 9.
extension SignInAcceptanceTests {
    @Test("every defect of a client secret is 400 invalid_client, and the code still works afterwards")
    func defectiveSecrets() async throws {
        try await TestServer.with { server in
            let (quizzler, now) = (server.quizzler, server.fixed.now)
            let time = Int(now.timeIntervalSince1970)
            let code = try await server.signInCode(as: try await server.addPersonal())
            let defective = [
                "DER signature": try quizzler.secret(at: now, signature: .der),
                "wrong aud": try quizzler.secret(at: now, claims: ["aud": "https://appleid.apple.com/"]),
                "expired": try quizzler.secret(at: now, claims: ["exp": time - 120]),
                "six months and more": try quizzler.secret(at: now, claims: ["exp": time + 15_777_121]),
                "unknown kid": try quizzler.secret(at: now, header: ["kid": "AAAAAAAAAA"]),
                "foreign kid": try quizzler.secret(at: now, header: ["kid": server.rival.keyID]),
                "wrong sub": try quizzler.secret(at: now, claims: ["sub": "com.quizzler.services"]),
                "none": try quizzler.secret(at: now, header: ["alg": "none"], signature: .missing),
                "RS256": try quizzler.secret(at: now, header: ["alg": "RS256"]),
                "HS256": try Self.keyedByPublicKey(quizzler, at: now),
                "missing": "",
                "no JWT": "sesame",
            ]
            for (defect, secret) in defective {
                let answer = try await server.redeemSignIn(code, nil, ["client_secret": secret])
                #expect(answer.line == #"400 {"error":"invalid_client"}"#, "\(defect)")
                #expect(answer["WWW-Authenticate"] == nil)
            }
            #expect(try await server.redeemSignIn(code).status == 200)
        }
    }

    /// HS256 with the public key as the secret, which a verifier takes that believes the header.
    private static func keyedByPublicKey(_ app: TestApp, at now: Date) throws -> String {
        let forged = try app.secret(at: now, header: ["alg": "HS256"])
        let content = forged.split(separator: ".").prefix(2).joined(separator: ".")
        let key = SymmetricKey(data: Data(app.privateKey.publicKey.pemRepresentation.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Data(content.utf8), using: key)
        return "\(content).\(Data(code).base64URLEncoded)"
    }

    @Test("a secret with an array as aud, one that lives for a minute, and one for exactly six months are good")
    func goodSecrets() async throws {
        try await TestServer.with { server in
            let (quizzler, now) = (server.quizzler, server.fixed.now)
            let time = Int(now.timeIntervalSince1970)
            let maria = try await server.addPersonal()
            for claims: [String: Any] in [
                ["aud": ["https://appleid.apple.com"]], ["aud": [TestServer.baseURL]], ["exp": time + 60],
                ["exp": time + 15_777_000], ["nbf": time, "jti": "again"],
            ] {
                let secret = try quizzler.secret(at: now, claims: claims, header: ["typ": "JWT"])
                let code = try await server.signInCode(as: maria)
                #expect(try await server.redeemSignIn(code, nil, ["client_secret": secret]).status == 200, "\(claims)")
            }
        }
    }

    @Test(
        "a refresh gives no refresh_token but a new access token, and fails after revocation and removal",
        arguments: TestDatabase.available)
    func refresh(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let kinds = try await server.kinds()
            for person in kinds.all {
                let tokens = try await server.tokens(as: person, ["nonce": "n"])
                server.fixed.advance(by: 86_400)
                let answer = try await server.refreshSignIn(tokens.refresh)
                #expect(answer.status == 200)
                #expect(Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "id_token"])
                let next = try TestServer.tokens(answer)
                #expect(next.access != tokens.access)
                var before = try await server.verified(tokens.identity).claims
                var after = try await server.verified(next.identity).claims
                #expect(after["iat"] as? Int == Int(server.fixed.now.timeIntervalSince1970))
                #expect(after["nonce"] == nil)
                for name in ["iat", "exp", "at_hash", "nonce"] {
                    before[name] = nil
                    after[name] = nil
                }
                // Among the equal claims is the original `auth_time`.
                #expect(canonical(before) == canonical(after))

                #expect(
                    try await server.refreshSignIn(tokens.refresh, server.rival).json["error_description"] as? String
                        == "The refresh token has expired or has been revoked.")
                #expect(
                    try await server.refreshSignIn(tokens.refresh, server.grouped()).json["error_description"]
                        as? String
                        == "client_id mismatch. The refresh token was not issued to com.quizzler.services.")
                #expect(try await server.call("/auth/revoke", nil, ["token": tokens.refresh]).line == "200 ")
                try await expectOver(tokens, on: server)
                let stopped = try await server.tokens(as: person)
                try await server.stopUsing(person)
                try await expectOver(stopped, on: server)
            }
            let (personal, managed) = (
                try await server.tokens(as: kinds.maria), try await server.tokens(as: kinds.nadia)
            )
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            try await expectOver(managed, on: server)
            #expect(try await server.refreshSignIn(personal.refresh).status == 200)
            // Listing the app again does not revive its old tokens.
            try await server.changeSignIn(.list(server.quizzler.app.id))
            try await expectOver(managed, on: server)
        }
    }

    @Test("a new password, or a closed account, ends what was signed in with the old one")
    func closedAccount() async throws {
        try await TestServer.with { server in
            for isClosed in [true, false] {
                let person = isClosed ? server.maple.nadia : server.maple.ben
                let tokens = try await server.tokens(as: person)
                server.fixed.advance(by: 10)
                let now = server.fixed.now
                try await server.database.write { transaction in
                    if isClosed {
                        try person.deactivate(at: now, in: transaction)
                    } else {
                        try Credential.put("$", temporaryUntil: nil, for: person.id, at: now, in: transaction)
                    }
                }
                try await expectOver(tokens, on: server)
            }
        }
    }

    @Test("a new password ends what was on the way when it was set", arguments: TestDatabase.available)
    func newPassword(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.public(on: server)
            for person in try await server.kinds().all {
                let (compatible, standard) = (
                    try await server.signInCode(as: person),
                    try await server.fields(client.path(), as: person)["code"] ?? ""
                )
                let device = try await client.startDevice()
                try await client.approve(device, as: person)
                server.fixed.advance(by: 10)
                let now = server.fixed.now
                let hash = try await PasswordHasher(cost: .low, surroundings: server.fixed.surroundings)
                    .hash(District.password)
                try await server.database.write {
                    try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: $0)
                }
                #expect(try await server.redeemSignIn(compatible).error == "invalid_grant")
                #expect(try await client.redeem(standard).error == "invalid_grant")
                #expect(try await client.poll(device).error == "invalid_grant")
                // A sign-in with the new password works, even in the same second.
                #expect(try await server.redeemSignIn(try await server.signInCode(as: person)).status == 200)
            }
            #expect(try await server.count("access_grant") == 3)
        }
    }

    @Test(
        "a rule that leaves the app out counts at once, for codes and refreshes, whether people were signed out yet or not",
        arguments: TestDatabase.available)
    func accessRule(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (nadia, maria) = (server.maple.nadia, try await server.addPersonal())
            let (tokens, personal) = (try await server.tokens(as: nadia), try await server.tokens(as: maria))
            let code = try await server.signInCode(as: nadia)
            let (organization, now) = (server.maple.organization.id, server.fixed.now)
            // As it is between the change and ``AccessRuleSweep``: the consents of people still stand.
            func apply(_ change: AccessRule.Change) async throws {
                try await server.database.write {
                    try AccessRule.apply(
                        change, to: organization, purpose: .signIn, by: .operator, from: .commandLine, at: now, in: $0)
                }
            }
            try await apply(.mode(.allowOnlyListedApps))
            try await expectOver(tokens, on: server)
            #expect(try await server.redeemSignIn(code).error == "invalid_grant")
            #expect(try await server.refreshSignIn(personal.refresh).status == 200)
            try await apply(.list(server.quizzler.app.id))
            #expect(try await server.refreshSignIn(tokens.refresh).status == 200)
            try await apply(.unlist(server.quizzler.app.id))
            try await expectOver(tokens, on: server)
        }
    }

    private func expectOver(_ tokens: Tokens, on server: TestServer) async throws {
        let answer = try await server.refreshSignIn(tokens.refresh)
        #expect(answer.status == 400)
        #expect(
            answer.json as? [String: String]
                == [
                    "error": "invalid_grant",
                    "error_description": "The refresh token has expired or has been revoked.",
                ])
    }

    @Test("revoke answers 200 and nothing for a token that is valid, spent or rubbish, and 400 for a bad secret")
    func revoke() async throws {
        try await TestServer.with { server in
            for person in try await server.kinds().all {
                for isRefreshToken in [true, false] {
                    let (phone, desk) = (try await server.tokens(as: person), try await server.tokens(as: person))
                    let token = isRefreshToken ? phone.refresh : phone.access
                    let bad = try await server.call("/auth/revoke", nil, ["token": token, "client_secret": "x"])
                    #expect(bad.line == #"400 {"error":"invalid_client"}"#)
                    // A request of another client changes nothing.
                    #expect(try await server.call("/auth/revoke", server.rival, ["token": token]).line == "200 ")
                    #expect(try await server.refreshSignIn(phone.refresh).status == 200)
                    for _ in 0..<2 {
                        let answer = try await server.call(
                            "/auth/revoke", nil,
                            ["token": token, "token_type_hint": isRefreshToken ? "refresh_token" : "access_token"])
                        #expect(answer.line == "200 ")
                        #expect(answer["Content-Length"] == "0")
                    }
                    // The person's use of the app as a whole is over, on every device.
                    try await expectOver(phone, on: server)
                    try await expectOver(desk, on: server)
                }
            }
            for rubbish in ["x", "r\(String(repeating: "0", count: 32)).0.abcd.AAAAAAAAAAAAAAAAAAAAAA", "a.b.c"] {
                #expect(try await server.call("/auth/revoke", nil, ["token": rubbish]).line == "200 ")
            }
            #expect(try await server.call("/auth/revoke", nil, [:]).line == #"400 {"error":"invalid_request"}"#)
            #expect(
                try await server.call("/auth/revoke", nil, ["token": "x", "token_type_hint": "id_token"]).line
                    == #"400 {"error":"invalid_request"}"#)
        }
    }

    @Test("identity tokens: header, hashes, audience, nonce and lifetime", arguments: TestDatabase.available)
    func identityTokens(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            // Native programs send a hash in hexadecimal as the nonce.
            let nonce = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
            for person in try await server.kinds().all {
                let fields = try await server.fields(
                    server.signInPath(server.quizzler, ["response_type": "code id_token", "nonce": nonce]), as: person)
                let code = fields["code"] ?? ""
                let answer = try await server.redeemSignIn(code)
                #expect(
                    Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "refresh_token", "id_token"])
                #expect(answer.json["token_type"] as? String == "Bearer")
                #expect(answer.body.contains(#""expires_in":3600"#))
                #expect(answer["Cache-Control"] == "no-store")
                #expect(answer["Pragma"] == "no-cache")
                #expect(answer["Content-Type"]?.hasPrefix("application/json") == true)
                let tokens = try TestServer.tokens(answer)
                let front = try await server.verified(fields["id_token"] ?? "")
                let back = try await server.verified(tokens.identity)
                let now = Int(server.fixed.now.timeIntervalSince1970)
                for token in [front, back] {
                    #expect(Set(token.header.keys) == ["kid", "alg"])
                    #expect(token.header["alg"] as? String == "RS256")
                    #expect(token.claims["iss"] as? String == TestServer.baseURL)
                    #expect(token.claims["aud"] as? String == "com.quizzler")
                    #expect(token.claims["nonce"] as? String == nonce)
                    #expect(token.claims["nonce_supported"] as? Bool == true)
                    #expect(token.claims["iat"] as? Int == now)
                    #expect(token.claims["exp"] as? Int == now + 86_400)
                    #expect(token.claims["auth_time"] as? Int == now)
                    for absent in ["name", "azp", "amr", "jti", "s_hash", "real_user_status", "transfer_sub"] {
                        #expect(token.claims[absent] == nil, "\(absent)")
                    }
                }
                #expect(front.claims["c_hash"] as? String == Self.halfHash(code))
                #expect(front.claims["at_hash"] == nil)
                #expect(back.claims["at_hash"] as? String == Self.halfHash(tokens.access))
                #expect(back.claims["c_hash"] == nil)
                #expect(front.claims["sub"] as? String == back.claims["sub"] as? String)
                // The other client id has the same person.
                let other = try await server.verified(try await server.tokens(server.grouped(), as: person).identity)
                #expect(other.claims["aud"] as? String == "com.quizzler.services")
                #expect(other.claims["sub"] as? String == back.claims["sub"] as? String)
                #expect(other.claims["nonce"] == nil)
                // Another team another.
                let rival = try await server.verified(try await server.tokens(server.rival, as: person).identity)
                #expect(rival.claims["sub"] as? String != back.claims["sub"] as? String)
            }
        }
    }

    /// OpenID Connect Core §3.1.3.6.
    private static func halfHash(_ text: String) -> String {
        Data(SHA256.hash(data: Data(text.utf8))).prefix(16).base64URLEncoded
    }

    @Test("real_user_status is 1 in the first tokens of a native program for a personal account, and nowhere else")
    func realUserStatus() async throws {
        try await TestServer.with { server in
            let kinds = try await server.kinds()
            let native = "http://127.0.0.1:49152/callback"
            try await server.put(returnURLs: [
                try ReturnURL(native: "http://127.0.0.1/callback"),
                try ReturnURL(server.quizzler.redirectURI, allowingLoopback: false),
            ])
            func status(_ person: Person, _ address: String) async throws -> [Int?] {
                let fields = try await server.fields(
                    server.signInPath(
                        server.quizzler, ["response_type": "code id_token", "redirect_uri": address]), as: person)
                let answer = try await server.redeemSignIn(fields["code"] ?? "", nil, ["redirect_uri": address])
                let tokens = try TestServer.tokens(answer)
                let refreshed = try TestServer.tokens(try await server.refreshSignIn(tokens.refresh))
                var found: [Int?] = []
                for token in [fields["id_token"] ?? "", tokens.identity, refreshed.identity] {
                    found.append(try await server.verified(token).claims["real_user_status"] as? Int)
                }
                return found
            }
            #expect(try await status(kinds.maria, native) == [1, 1, nil])
            #expect(try await status(kinds.maria, native) == [nil, nil, nil])
            #expect(try await status(kinds.nadia, native) == [nil, nil, nil])
            try await server.stopUsing(kinds.maria)
            #expect(try await status(kinds.maria, server.quizzler.redirectURI) == [nil, nil, nil])
        }
    }
}
