import Administration
import Directory
import Fixtures
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What people, apps and programs of an organization meet when it is closed.
@Suite struct ClosedOrganizationTests {
    @Test(
        "the sign-in page says it in three languages, and neither the roster nor the API is open",
        arguments: TestDatabase.available)
    func closed(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let server = user.server
            let tokens = try await server.connect()
            #expect(try await server.roster("/users", tokens).status == 200)
            let administrator = Administrator(
                .operator, from: .commandLine, database: server.database, services: APIUser.services(of: server))
            let place = OrganizationReference.named(server.maple.organization.publicID)
            let version = try await administrator.preview(CloseOrganization(), in: place).version
            _ = try await administrator.perform(CloseOrganization(), in: place, ifVersion: version)

            #expect(try await server.roster("/users", tokens).status == 401)
            #expect(try await user.send(.GET, "people").status == 401)
            let again = try await server.browser().post(
                "/api/v1/token",
                [
                    "grant_type": "client_credentials", "client_id": user.clientID, "client_secret": user.secret,
                ])
            #expect(again.status == 401 && again.error == "invalid_client", "\(again.line)")

            let browser = server.browser()
            let page = try await server.signIn(server.maple.ben.userName, in: browser)
            #expect(page.status == 422 && page.cookies.isEmpty)
            #expect(page.body.contains("Maple District has closed its accounts"))
            for (language, sentence) in [("ja", "アカウントは閉鎖され"), ("ko", "계정은 모두 폐쇄되어")] {
                let form = try #require(page.form("/sign-in"))
                let answer = try await browser.send(
                    .POST, "/sign-in",
                    ["Content-Type": "application/x-www-form-urlencoded", "Accept-Language": language],
                    body: Browser.encode(
                        form.fields.merging([
                            "username": server.maple.ben.userName, "password": District.password,
                        ]) { $1 }.map { $0 }))
                #expect(answer.body.contains(sentence), "\(language)")
            }
            // Without the password, the page does not tell that the organization is closed.
            let wrong = try await server.signIn(server.maple.ben.userName, password: "wrong", in: server.browser())
            #expect(!wrong.body.contains("closed"))
        }
    }

    @Test("it takes the version of the dry run over the API, and a program may not close it")
    func overAPI() async throws {
        try await APIUser.with { user in
            #expect(try await user.send(.POST, "close?dryRun=true").status == 403)
            #expect(try await user.send(.POST, "reopen").status == 403)
            let settings = try await user.send(.GET, "settings")
            #expect(settings.status == 200 && settings["ETag"] != nil)
            let tag = try #require(settings["ETag"])
            let changed = try await user.send(.POST, "settings", ["If-Match": tag], json: #"{"colour": "plum"}"#)
            #expect(changed.status == 200, "\(changed.line)")
            let stale = try await user.send(.POST, "settings", ["If-Match": tag], json: #"{"colour": "rust"}"#)
            #expect(stale.status == 412, "\(stale.line)")
            let list = try await user.send(.GET, "organizations")
            #expect(list.list("organizations").compactMap { $0["name"] as? String } == ["Maple District"])
        }
    }
}
