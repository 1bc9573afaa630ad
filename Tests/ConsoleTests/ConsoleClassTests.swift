import Directory
import Storage
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What the page of a class offers.
@Suite struct ConsoleClassTests {
    @Test("an archived class is offered what would be done with it, and says what has to be done before the rest")
    func archived() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let maple = server.maple
            let path = "/manager/classes/CL-\(maple.science.rawValue)"
            let delivered = "can be removed for good after an import"
            let elsewhere = "High School, to which this class belongs"
            func check(_ offered: [String], _ words: [String]) async throws {
                let page = try await visitor.browser.get(path)
                #expect(page.status == 200)
                for action in ["archive", "restore", "remove"] {
                    let isOffered = page.body.contains("href=\"\(path)/\(action)\"")
                    #expect(isOffered == offered.contains(action), "\(action)")
                }
                for obstacle in [delivered, elsewhere] {
                    #expect(page.body.contains(obstacle) == words.contains(obstacle), "\(obstacle)")
                }
            }
            func change(_ statement: String, _ id: Int64) async throws {
                try await server.database.write { try $0.execute(statement, [id]) }
            }
            try await check(["archive"], [])
            #expect(try await visitor.post("\(path)/archive").status == 303)
            try await check(["restore", "remove"], [])
            try await change("UPDATE class SET source = 'csv', source_id = 'K-1' WHERE id = $1", maple.science.rawValue)
            try await check(["restore"], [delivered])
            try await change("UPDATE location SET archived_at = 1 WHERE id = $1", maple.high.id.rawValue)
            try await check([], [delivered, elsewhere])
            try await change("UPDATE class SET missing_since = 1 WHERE id = $1", maple.science.rawValue)
            try await check(["remove"], [elsewhere])
        }
    }
}
