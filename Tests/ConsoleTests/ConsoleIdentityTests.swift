import Directory
import Fixtures
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Before what nothing takes back, console and portal ask once more who it is: the browser may be a borrowed one. The list
/// is in docs/specifications/administration.md.
@Suite struct ConsoleIdentityTests {
    private static let confirmed: Set = [
        "/manager/people/{person}/erase", "/manager/people/{person}/reset-factors", "/manager/classes/{class}/remove",
        "/manager/imports/{import}/undo", "/manager/apps/{app}/revoke", "/manager/settings/retention/left-people",
        "/manager/settings/retention/sessions", "/manager/settings/retention/imports",
        "/manager/settings/api-clients/add",
        "/manager/settings/api-clients/{client}/revoke", "/manager/settings/close",
    ]
    /// Nothing takes it back, but it is done all day, or the person can have it again at once.
    private static let unconfirmed: Set = [
        "/manager/people/{person}/password", "/manager/people/passwords", "/manager/people/{person}/sign-out",
        "/manager/devices/{device}/remove",
    ]

    @Test("who signed in a while ago confirms it there and nowhere else, and nothing happens before")
    func stale() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            server.fixed.advance(by: 16 * 60)
            let before = try await server.everything()
            let isPage = ConsoleCase.all.filter { $0.method == .GET }
            #expect(Self.confirmed.subtracting(isPage.map(\.route)).isEmpty)
            for one in ConsoleCase.all where one.method == .GET || Self.confirmed.contains(one.route) {
                let path = visitor.filled(one.route + one.query, about: server.maple)
                let answer = try await visitor.send(one)
                #expect(answer.confirms(path) == Self.confirmed.contains(one.route), "\(one) \(answer.line)")
            }
            let changed = Set(try await server.everything()).symmetricDifference(before)
            #expect(changed.isEmpty)

            let erase = visitor.filled("/manager/people/{person}/erase", about: server.maple)
            let question = try await visitor.browser.get("/confirm?continue=\(Browser.escape(erase))")
            let back = try await visitor.browser.submit(
                question.form("/confirm"), ["current_password": District.password])
            #expect(back.location == erase)
            #expect(try await visitor.browser.get(erase).status == 200)
        }
    }

    @Test("a rule says what does not come back when it is taken back")
    func retention() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            for (kind, words, isFinal) in [
                ("left-people", "What has gone by then does not come back", true),
                ("sessions", "What has gone by then does not come back", true),
                ("imports", "What has gone by then does not come back", true),
                ("unused-accounts", "are reactivated one by one", false),
            ] {
                let path = "/manager/settings/retention/\(kind)"
                let answer = try await visitor.post(path, ["days": "400"])
                #expect(answer.status == 200 && answer.isFinal == isFinal, "\(kind)")
                #expect(answer.body.contains("You can take the rule back. ") && answer.body.contains(words), "\(kind)")
                #expect(!answer.body.contains("You can undo this afterwards"), "\(kind)")
                #expect(try await visitor.post(path, ["days": "400", "confirmed": "yes"]).status == 303)
                let without = try await visitor.post(path, ["days": ""])
                #expect(without.body.contains("You can undo this afterwards") && !without.isFinal, "\(kind)")
            }
        }
    }

    @Test("no other page has a button for what nothing takes back")
    func final() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            _ = try await server.connect()
            let (nadia, now) = (server.maple.nadia.id, server.fixed.now)
            try await server.database.write {
                try $0.execute(
                    """
                    INSERT INTO one_time_code_key (person_id, sealed_secret, last_step, added_at)
                    VALUES ($1, $2, 0, $3)
                    """, [nadia, [1] as [UInt8], now])
            }
            var found: Set<String> = []
            for one in ConsoleCase.all {
                if one.route.hasSuffix("/restore") { continue }
                let answer = try await visitor.send(one)
                if one.method == .GET, answer.isFinal { found.insert(one.route) }
            }
            // Those of the other pages are about records that there are not here.
            #expect(found.subtracting(Self.confirmed).subtracting(Self.unconfirmed).sorted() == [])
            #expect(
                found.isSuperset(of: [
                    "/manager/apps/{app}/revoke", "/manager/people/{person}/erase",
                    "/manager/people/{person}/reset-factors", "/manager/settings/close",
                ]), "\(found.sorted())")
        }
    }
}
