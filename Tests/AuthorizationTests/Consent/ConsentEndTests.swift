import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import Authorization

/// Consents that have a last day.
@Suite struct ConsentEndTests {
    /// The clock of the tests begins at 2026-09-01T08:00:00Z.
    private static let start = FixedSurroundings.start

    private static func limit(_ server: AuthorizationServer, to day: String) async throws {
        let consent = try #require(try await server.livingConsent)
        try await server.database.write { _ = try consent.put(lastDay: CalendarDay(day), in: $0) }
    }

    private static func advance(_ server: AuthorizationServer, to text: String) throws {
        let time = try Date(text, strategy: .iso8601)
        server.fixed.advance(by: time.timeIntervalSince(server.fixed.now))
    }

    private static func term(_ text: String, _ server: AuthorizationServer) async throws {
        let (term, organization) = (try #require(ConsentTerm(text)), server.school.organization.id)
        try await server.database.write { try term.put(for: organization, in: $0) }
    }

    private static func end(_ server: AuthorizationServer) async throws -> Int {
        try await ConsentEnds(database: server.database, surroundings: server.fixed.surroundings).finish()
    }

    private static func notifications(_ server: AuthorizationServer) async throws -> Int {
        try await server.database.read { try $0.first("SELECT COUNT(*) FROM notification") { try $0[0] } } ?? 0
    }

    @Test(
        "when the last day is over everywhere, tokens are refused before anybody has written it down",
        arguments: TestDatabase.available)
    func readers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.code()
            try await Self.limit(server, to: "2026-09-01")
            let answer = try await server.exchange()
            #expect(try await server.livingConsent?.lastDay == nil, "allowing it again follows the organization's term")
            // Twelve hours after UTC it is still the first of September.
            try Self.advance(server, to: "2026-09-02T11:59:59Z")
            let unspent = try await server.code()
            try await Self.limit(server, to: "2026-09-01")
            let renewed = try await server.tokens.refresh(
                try #require(answer.refreshToken), .roster, client: try await server.client, origin: .system)
            _ = try await server.access(with: renewed.accessToken)
            try Self.advance(server, to: "2026-09-02T12:00:00Z")
            #expect(
                await rosterRefusal { try await server.access(with: renewed.accessToken) }
                    == .invalidToken("the consent has ended"))
            let refreshed = await refusal {
                _ = try await server.tokens.refresh(
                    try #require(answer.refreshToken), .roster, client: try await server.client, origin: .system)
            }
            #expect(refreshed == .invalidGrant)
            #expect(await refusal { _ = try await server.redeem(unspent) } == .invalidGrant)
            #expect(try await server.livingConsent == nil)
            #expect(try await Self.notifications(server) == 0)

            #expect(try await Self.end(server) == 1)
            #expect(try await Self.end(server) == 0)
            #expect(try await Self.notifications(server) == 1)
            let last = try #require(try await server.school.auditRecords().last)
            #expect(last.action == "consent.ended" && last.actor == "system")
            #expect(last.detail == "edu.classes.read edu.users.read; last day 2026-09-01")
            let consent = try await database.read {
                try Consent.list(of: server.school.organization.id, in: $0).last
            }
            #expect(consent?.hasRunOut == true && consent?.revokedBy == nil)
        }
    }

    @Test(
        "a consent that is given anew after the end of another does not bring its tokens back",
        arguments: TestDatabase.available)
    func anew(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let old = try await server.exchange()
            try await Self.limit(server, to: "2026-09-01")
            try Self.advance(server, to: "2026-09-02T12:00:00Z")
            let new = try await server.exchange()
            let refreshed = await refusal {
                _ = try await server.tokens.refresh(
                    try #require(old.refreshToken), .roster, client: try await server.client, origin: .system)
            }
            #expect(refreshed == .invalidGrant)
            _ = try await server.access(with: new.accessToken)
            #expect(try await Self.notifications(server) == 1)
            #expect(try await Self.end(server) == 0)
            let history = try await database.read { try Consent.list(of: server.school.organization.id, in: $0) }
            #expect(history.map { $0.revokedAt != nil } == [true, false])
        }
    }

    @Test(
        "a renewal that comes at the same time as the end wins or loses, and is never half",
        arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            try await Self.limit(server, to: "2026-09-01")
            let consent = try #require(try await server.livingConsent)
            try Self.advance(server, to: "2026-09-03T00:00:00Z")
            async let ended = Self.end(server)
            async let renewed = database.write { try consent.put(lastDay: CalendarDay("2027-09-01"), in: $0) }
            let outcome = (try await ended, try await renewed)
            #expect(outcome == (1, false) || outcome == (0, true))
            let alive = try await server.livingConsent != nil
            #expect(alive == (outcome.0 == 0))
            #expect(try await Self.notifications(server) == outcome.0)
        }
    }

    @Test(
        "allowing an app gives its consent the end that the organization's term says", arguments: TestDatabase.available
    )
    func terms(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            for (term, day) in [
                ("year", "2027-09-01"), ("07-31", "2027-07-31"), ("12-24", "2026-12-24"), ("unlimited", nil),
            ] {
                try await Self.term(term, server)
                _ = try await server.code()
                #expect(try await server.livingConsent?.lastDay?.text == day, "\(term)")
                let detail = try await server.school.auditRecords().last?.detail
                #expect(detail == "edu.classes.read edu.users.read" + (day.map { "; last day \($0)" } ?? ""))
            }
        }
    }

    @Test("a day of the year that is too near means the next year")
    func nearDays() throws {
        func last(_ term: String, _ day: String) throws -> String? {
            try #require(ConsentTerm(term)).lastDay(from: try #require(CalendarDay(day)))?.text
        }
        #expect(try last("07-31", "2027-06-18") == "2027-07-31")
        #expect(try last("07-31", "2027-06-19") == "2028-07-31")
        #expect(try last("07-31", "2027-07-31") == "2028-07-31")
        #expect(try last("01-15", "2026-12-20") == "2028-01-15")
        #expect(try last("01-15", "2026-11-20") == "2027-01-15")
        #expect(try last("year", "2028-02-29") == "2029-02-28")
        #expect(try last("unlimited", "2028-02-29") == nil)
        for text in ["02-29", "13-01", "7-31", "07-31-01", "", "never", "2027-07-31"] {
            #expect(ConsentTerm(text) == nil, "\(text)")
        }
    }

    @Test("mails are due six weeks before the end, and again in the last week")
    func reminders() async throws {
        try await TestDatabase.sqlite.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.code()
            try await Self.limit(server, to: "2026-12-31")
            func due(on day: String) async throws -> Int? {
                try Self.advance(server, to: "\(day)T10:00:00Z")
                return try #require(try await server.livingConsent).dueReminder(at: server.fixed.now)
            }
            func note(_ number: Int) async throws -> Bool {
                let consent = try #require(try await server.livingConsent)
                return try await database.write { try consent.note(reminder: number, in: $0) }
            }
            #expect(try await due(on: "2026-11-18") == nil)
            #expect(try await due(on: "2026-11-19") == 1)
            #expect(try await note(1) == true)
            #expect(try await note(1) == false)
            #expect(try await due(on: "2026-12-23") == nil)
            #expect(try await due(on: "2026-12-24") == 2)
            #expect(try await note(2) == true)
            #expect(try await due(on: "2026-12-31") == nil)
            try await Self.limit(server, to: "2027-01-15")
            #expect(try await due(on: "2027-01-01") == 1)
            try await Self.limit(server, to: "2027-01-04")
            #expect(try await due(on: "2027-01-02") == 2, "a late start asks once")
        }
    }
}
