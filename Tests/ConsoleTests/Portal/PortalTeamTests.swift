import Authorization
import Crypto
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// The keys and the members of a team in the developer portal.
@Suite struct PortalTeamTests {
    @Test("a public key is pasted, or comes from a file, and what was typed is kept where it is refused")
    func keys() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn(server.scene.developer.userName, in: browser)
            let path = server.filledPortal("/developer/teams/{team}/keys")
            let form = try #require(try await browser.get(path).form(path))
            func register(_ name: String, pasted: String = "", file: String? = nil) async throws -> Answer {
                var body = ""
                let fields = form.fields.merging(["name": name, "publicKey": pasted]) { $1 }
                for (field, value) in fields {
                    body += "--form\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n"
                }
                // A browser sends a field without a file too, with an empty name.
                let fileName = file == nil ? "" : "key.pub"
                body += "--form\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(fileName)\"\r\n"
                body += "Content-Type: application/octet-stream\r\n\r\n\(file ?? "")\r\n--form--\r\n"
                return try await browser.send(
                    .POST, path, ["Content-Type": "multipart/form-data; boundary=form"], body: body)
            }
            func names() async throws -> [String] {
                let team = server.quizzler.team.id
                return try await server.database.read { try TeamKey.list(of: team, in: $0).map(\.name) }.sorted()
            }

            let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
            let filed = try await register("Filed", file: first.publicKey.pemRepresentation + "\n")
            #expect(filed.status == 303 && filed.location.hasPrefix(path), "\(filed.line)")
            let pasted = try await register("Pasted", pasted: second.publicKey.pemRepresentation)
            #expect(pasted.status == 303)
            #expect(try await names() == ["Filed", "Pasted", "Test"])

            let third = P256.Signing.PrivateKey()
            let refusals = [
                (try await register("Refused", file: third.pemRepresentation), "stays with the team"),
                (try await register("Refused", file: "no key"), "no public P-256 key"),
                (
                    try await register("Refused", pasted: "no key", file: third.publicKey.pemRepresentation),
                    "no public P-256 key"
                ),
                (try await register("Refused"), "has no file"),
            ]
            for (answer, reason) in refusals {
                #expect(answer.status == 422 && answer.body.contains(reason), "\(reason): \(answer.line)")
                #expect(answer.body.contains(#"value="Refused""#))
            }
            #expect(try await names() == ["Filed", "Pasted", "Test"])
        }
    }

    @Test("a member is removed, or leaves, after a page has said what follows, and the only one does neither")
    func members() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let (team, developer) = (server.quizzler.team, server.scene.developer)
            try await server.signIn(developer.userName, in: browser)
            let page = server.filledPortal("/developer/teams/{team}/members")
            func links() async throws -> [String] {
                try await browser.get(page).body.matches(of: #/href="([^"]*/members/[^"]*/remove)"/#).map {
                    Answer.unescape($0.1)
                }
            }
            func members() async throws -> [PersonID] {
                try await server.database.read { try Team.members(of: team.id, in: $0) }
            }
            #expect(try await links() == [])
            let own = "\(page)/\(Browser.escape(developer.userName))/remove"
            #expect(try await browser.get(own).status == 422)

            // A user name may have signs that mean something in an address.
            let name = "cole/1?x=%25#@home.example"
            let colleague = try await server.addPersonal("Cole", email: "cole@home.example", userName: name)
            try await server.database.write { try team.add(member: colleague.id, in: $0) }
            let other = "\(page)/\(Browser.escape(name))/remove"
            #expect(Set(try await links()) == [own, other])
            let before = try await server.everything()
            let question = try await browser.get(other)
            #expect(question.status == 200 && question.isFinal, "\(question.line)")
            #expect(question.body.contains("Keys and secrets stay in force"))
            #expect(question.body.contains("Only a new invitation brings"))
            #expect(try await server.everything() == before)
            #expect(try await browser.submit(question.form(other)).location == page)
            #expect(try await members() == [developer.id])
            // They are gone, and so is the page.
            #expect(try await browser.get(other).status == 404)

            try await server.database.write { try team.add(member: colleague.id, in: $0) }
            let leaving = try await browser.get(own)
            #expect(leaving.heading == "Leave \(team.name)" && leaving.isFinal)
            #expect(try await browser.submit(leaving.form(own)).location == "/developer")
            #expect(try await members() == [colleague.id])
            #expect(try await browser.get(page).status == 403)
        }
    }
}
