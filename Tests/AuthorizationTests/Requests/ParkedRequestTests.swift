import Authorization
import Directory
import Fixtures
import Ground
import Storage
import TestSupport
import Testing

@Suite struct ParkedRequestTests {
    private func park(_ server: AuthorizationServer, browser: String) async throws -> (String, AuthorizationRequest) {
        let request = try await server.validate([
            "nonce": "n", "response_mode": "form_post", "code_challenge": String(repeating: "A", count: 43),
            "code_challenge_method": "S256",
        ])
        let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
        let token = try await server.database.write {
            try ParkedRequest.insert(request, browser: browser, at: now, from: surroundings, in: $0).text
        }
        return (token, request)
    }

    private func find(_ server: AuthorizationServer, _ token: String, browser: String) async throws -> ParkedRequest? {
        let now = server.fixed.now
        return try await server.database.read {
            try ParkedRequest.find(token: token, browser: browser, at: now, in: $0)
        }
    }

    @Test("a request comes back whole, to the browser that brought it", arguments: TestDatabase.available)
    func found(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (token, request) = try await park(server, browser: "desk")
            let parked = try await find(server, token, browser: "desk")
            #expect(parked?.request == request)
            #expect(parked?.answer == nil)
            for (token, browser) in [
                (token, "phone"), (token, ""), (token, "desk "), ("", "desk"), (token + "A", "desk"), ("desk", token),
            ] {
                let other = try await find(server, token, browser: browser)
                #expect(other == nil)
            }
        }
    }

    @Test("a request waits for an hour", arguments: TestDatabase.available)
    func expires(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (token, _) = try await park(server, browser: "desk")
            server.fixed.advance(by: 3_599)
            let waiting = try await find(server, token, browser: "desk")
            #expect(waiting != nil)
            server.fixed.advance(by: 1)
            let over = try await find(server, token, browser: "desk")
            #expect(over == nil)
            _ = try await park(server, browser: "desk")
            let count = try await database.read {
                try $0.first("SELECT COUNT(*) FROM parked_request") { try $0[0] as Int }
            }
            #expect(count == 1)
        }
    }
}
