import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Roles with a first and a last day, in the console. The clock begins at 2026-09-01, 8:00 UTC.
@Suite struct ConsoleRolePeriodTests {
    @Test("a role is given for some days, stays on the page as past, and is taken back")
    func given() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let path = "/manager/people/PE-\(server.maple.ben.id.rawValue)"
            let form = try await visitor.browser.get(path + "/roles")
            #expect(form.body.contains("name=\"from\"") && form.body.contains("name=\"until\""))
            let wrong = try await visitor.post(
                path + "/roles", ["role": "manager", "from": "2026-09-20", "until": "2026-09-10"])
            #expect(wrong.status == 422 && wrong.body.contains("The last day comes before the first day."))
            #expect(wrong.body.contains("value=\"2026-09-20\""))

            let given = try await visitor.post(
                path + "/roles", ["role": "manager", "from": "2026-09-10", "until": "2026-09-20"])
            #expect(given.status == 303, "\(given.status)")
            let coming = try await visitor.browser.get(path + "/roles")
            #expect(coming.body.contains("Counts later: "))
            #expect(try await visitor.browser.get("/manager").body.contains("1 person is Manager until"))
            server.fixed.advance(by: 30 * 86_400)
            let again = server.browser()
            try await server.signIn(visitor.person.userName, in: again)
            for page in [path, path + "/roles"] {
                let past = try await again.get(page)
                #expect(past.status == 200 && past.body.contains("Past: "), "\(page)")
            }
        }
    }

    @Test("whoever is signed in when their role ends sees no console with the next click")
    func ends() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.manager, of: server)
            let (person, organization, now) = (visitor.person, server.maple.organization.id, server.fixed.now)
            // Their last day was yesterday, which is over everywhere at 12:00 UTC.
            let period = try RolePeriod(from: nil, until: CalendarDay(now).adding(days: -1))
            try await server.database.write {
                try RoleAssignment(.manager, at: nil).insert(
                    for: person.id, of: organization, during: period, at: now, in: $0)
            }
            server.fixed.advance(by: 3 * 3_600)
            let browser = server.browser()
            try await server.signIn(person.userName, in: browser)
            for (seconds, status) in [(3_599.0, 200), (1.0, 403)] {
                server.fixed.advance(by: seconds)
                let answer = try await browser.get("/manager/people")
                #expect(answer.status == status, "\(server.fixed.now)")
            }
        }
    }
}
