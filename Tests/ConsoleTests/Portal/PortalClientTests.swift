import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// How a client authenticates, which is chosen in the developer portal as with `lanyard app client`.
@Suite struct PortalClientTests {
    private static let app = "/developer/teams/{team}/apps/{app}"
    private static let page = "\(app)/clients/{client}"

    /// The developer of Quizzler in a browser, at the page of the primary client.
    private struct Developer: Sendable {
        let server: TestServer
        let browser: Browser
        let app: String
        let page: String

        init(of server: TestServer) async throws {
            self.server = server
            browser = server.browser()
            app = server.filledPortal(PortalClientTests.app)
            page = server.filledPortal(PortalClientTests.page)
            try await server.signIn(server.scene.developer.userName, in: browser)
        }

        var client: Client? {
            get async throws {
                let id = server.quizzler.clientID
                return try await server.database.read { try Client.find(id, in: $0) }
            }
        }

        func choose(_ authentication: String, signedWith algorithm: String = "RS256") async throws -> Answer {
            let form = try await browser.get(page).form(page)
            return try await browser.submit(
                form, ["authentication": authentication, "signingAlgorithm": algorithm])
        }
    }

    @Test("it becomes a public one, with another algorithm, and that can be taken back")
    func isPublic() async throws {
        try await TestServer.with { server in
            let developer = try await Developer(of: server)
            #expect(try await developer.browser.get(developer.app).body.contains("href=\"\(developer.page)\""))
            let done = try await developer.choose("none", signedWith: "ES256")
            #expect(done.location.hasPrefix("\(developer.app)?changes="), "\(done.line)")
            let client = try #require(try await developer.client)
            #expect(client.isPublic && client.signingAlgorithm == .es256)
            let after = try await developer.browser.get(done.location)
            try await developer.browser.submit(after.form("/developer/undo"))
            let former = try #require(try await developer.client)
            #expect(!former.isPublic && former.signingAlgorithm == .rs256)
        }
    }

    @Test("its first secret is made and shown once on a page of its own, and is void only after a page has said so")
    func secret() async throws {
        try await TestServer.with { server in
            let developer = try await Developer(of: server)
            let (browser, page) = (developer.browser, developer.page)
            let asked = try await developer.choose("secret")
            #expect(asked.location == "\(page)/secret", "\(asked.line)")
            #expect(try await developer.client?.hasSecret == false)
            let question = try await browser.get(asked.location)
            #expect(question.isFinal && question.body.contains("authenticates with this secret alone"))
            #expect(!question.body.contains("The secret before"))
            let shown = try await browser.submit(question.form("\(page)/secret"))
            let secret = try #require(shown.body.firstMatch(of: #/<code>([^<]+)</code>/#)).1
            #expect(shown.status == 200)
            #expect(try await developer.client?.hasSecret == true)
            for path in [page, developer.app] { #expect(try await !browser.get(path).body.contains(secret)) }
            #expect(try await browser.get("\(page)/secret").body.contains("The secret before"))

            // Nothing is asked where the secret stays.
            #expect(try await developer.choose("secret", signedWith: "ES256").location == developer.app)
            #expect(try await developer.client?.hasSecret == true)
            let before = try await server.everything()
            let warning = try await developer.choose("key")
            #expect(warning.status == 200 && warning.isFinal && warning.body.contains("stops working at once"))
            #expect(try await server.everything() == before)
            #expect(try await browser.submit(warning.form(page)).location == developer.app)
            let client = try #require(try await developer.client)
            #expect(!client.hasSecret && !client.isPublic)
        }
    }

    @Test("what somebody else has changed meanwhile stays, and there are no other ways and no clients of other apps")
    func refusals() async throws {
        try await TestServer.with { server in
            let developer = try await Developer(of: server)
            let (browser, page) = (developer.browser, developer.page)
            let old = try await browser.get(page).form(page)
            _ = try await developer.choose("none")
            let before = try await server.everything()
            let stale = try await browser.submit(old, ["authentication": "key", "signingAlgorithm": "RS256"])
            #expect(stale.status == 409)
            #expect(try await developer.choose("password").status == 422)
            #expect(try await developer.choose("key", signedWith: "HS256").status == 422)
            let foreign = "\(developer.app)/clients/\(server.rival.clientID)"
            for path in [foreign, "\(foreign)/secret"] { #expect(try await browser.get(path).status == 404) }
            #expect(try await server.everything() == before)
        }
    }
}
