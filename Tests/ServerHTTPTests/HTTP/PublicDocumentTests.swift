import Authorization
import Fixtures
import Foundation
import HTTPTypes
import Testing
@testable import ServerHTTP
@testable import TestServers

/// Documents that are the same for everybody.
@Suite struct PublicDocumentTests {
    @Test("a document is encoded when what it tells has changed, and not with each request")
    func encodedOnce() throws {
        let document = PublicDocument()
        var times = 0
        func ask(_ version: [String]) throws -> String? {
            try document.answer(to: [:], version: version) {
                times += 1
                return version
            }.fields[.eTag]
        }
        let first = try ask(["a"])
        for _ in 0..<9 { #expect(try ask(["a"]) == first) }
        #expect(times == 1)
        let second = try ask(["a", "b"])
        #expect(second != first && times == 2)
        #expect(try ask(["a", "b"]) == second && times == 2)
    }

    @Test("keys and discovery have an entity tag, and are not sent again to whoever has them")
    func entityTags() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            for path in [
                "/auth/keys", "/auth/oauth2/v2/keys", "/oidc/keys", "/.well-known/openid-configuration",
                "/oidc/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/oidc",
            ] {
                let answer = try await browser.get(path)
                #expect(answer["Content-Type"] == "application/json;charset=UTF-8", "\(path)")
                #expect(answer["Cache-Control"] == "public, max-age=900" && answer["Pragma"] == nil)
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                let tag = try #require(answer["ETag"])
                #expect(try await browser.get(path, ["If-None-Match": tag]).line == "304 ")
                #expect(try await browser.get(path, ["If-None-Match": "\"x\""]).line == answer.line)
            }
        }
    }

    @Test("a key that another process adds is in the list as soon as it is read again, and the tag is another one")
    func anotherProcessAddsKey() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            func keyIDs(_ answer: Answer) -> [String] { answer.list("keys").compactMap { $0["kid"] as? String } }
            for path in ["/auth/keys", "/oidc/keys"] {
                let before = try await browser.get(path)
                let added = try await SigningKeys.add(
                    .rs256, signingFrom: server.fixed.now.addingTimeInterval(SigningKeys.notice), to: server.database,
                    under: server.scene.masterKey, surroundings: server.fixed.surroundings)
                let tag = try #require(before["ETag"])
                #expect(try await browser.get(path, ["If-None-Match": tag]).status == 304)
                server.fixed.advance(by: SigningKeys.patience + 1)
                let after = try await browser.get(path, ["If-None-Match": tag])
                #expect(after.status == 200 && after["ETag"] != tag)
                #expect(keyIDs(after).contains(try #require(added)) && !keyIDs(before).contains(added ?? ""))
                #expect(try await browser.get(path, ["If-None-Match": try #require(after["ETag"])]).status == 304)
            }
        }
    }
}
