import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// The page that says what an organization can know of mail.
@Suite struct ConsoleMailTests {
    private static func check(_ server: TestServer, sends: Bool) async throws {
        let visitor = try await ConsoleVisitor(.administrator, of: server)
        let (maple, now) = (server.maple, server.fixed.now)
        try await server.database.write {
            try $0.execute(
                """
                INSERT INTO mail_message
                    (message_id, recipient, subject, body, language, created_at, next_attempt_at, person_id)
                VALUES ('m', '', '', '', 'en', $1, NULL, $2)
                """, [now, maple.nadia.id])
        }
        #expect(try await visitor.browser.get("/manager/settings").body.contains("/manager/settings/mail"))
        let page = try await visitor.browser.get("/manager/settings/mail")
        #expect(page.status == 200 && page.heading == "Mail")
        #expect(page.body.contains("This server sends no mail") == !sends)
        #expect(page.body.contains("id@school.example") == sends)
        #expect(page.body.contains("Mail does not reach 1 person") == sends)
        #expect(!page.body.contains("Nadia"))
        // No page promises a mail that is never sent.
        _ = try await server.connect()
        let folders = try await visitor.browser.get("/manager/imports/pick-ups")
        #expect(folders.status == 200 && folders.body.contains("told by mail what came of it") == sends)
        let limit = try await visitor.browser.get(visitor.filled("/manager/apps/{app}/limit", about: maple))
        #expect(limit.status == 200 && limit.body.contains("reminded by mail") == sends)
    }

    @Test("it says who writes, and where it is mended that mail does not arrive")
    func sends() async throws {
        try await TestServer.withMail { try await Self.check($0, sends: true) }
    }

    @Test("it says that the server sends none")
    func sendsNone() async throws {
        try await TestServer.with { try await Self.check($0, sends: false) }
    }
}
