import Directory
import Fixtures
import TestSupport
import Testing

@testable import ServerHTTP

/// Before what nothing takes back, the console asks once more who it is: the browser may be a borrowed one.
@Suite struct ConsoleIdentityTests {
    @Test("who signed in a while ago confirms it first, and nothing happens before")
    func final() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let pupil = "PE-\(server.maple.nadia.id.rawValue)"
            let pages = [
                "/manager/people/\(pupil)/erase", "/manager/settings/close", "/manager/settings/api-clients/add",
                "/manager/people/\(pupil)/reset-factors", "/manager/classes/CL-\(server.maple.science.rawValue)/remove",
            ]
            server.fixed.advance(by: 16 * 60)
            let before = try await server.everything()
            for page in pages {
                let asked = try await visitor.browser.get(page)
                #expect(asked.location == "/confirm?continue=\(Browser.escape(page))", "\(page)")
                let sent = try await visitor.post(
                    page,
                    [
                        "name": page.hasSuffix("close") ? "Maple District" : "Nadia Okoye", "days": "30",
                        "privileges": "people.read", "confirmed": "yes",
                    ])
                #expect(sent.location == "/confirm?continue=\(Browser.escape(page))", "\(page)")
            }
            #expect(try await server.everything() == before)

            let question = try await visitor.browser.get("/confirm?continue=\(Browser.escape(pages[0]))")
            let back = try await visitor.browser.submit(
                question.form("/confirm"), ["current_password": District.password])
            #expect(back.location == pages[0])
            // There is nothing to remove, on the last two.
            for page in pages.dropLast(2) { #expect(try await visitor.browser.get(page).status == 200, "\(page)") }
        }
    }

    @Test("what can be undone asks nobody again")
    func undoable() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let pupil = "PE-\(server.maple.nadia.id.rawValue)"
            server.fixed.advance(by: 16 * 60)
            for page in ["edit", "deactivate", "roles", "password", "merge"] {
                let answer = try await visitor.browser.get("/manager/people/\(pupil)/\(page)")
                #expect(answer.status == 200, "\(page)")
            }
        }
    }
}
