import Directory
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What lists of the console can be narrowed to: only what the organization can have.
@Suite struct ConsoleFilterTests {
    /// The values of a field of choice.
    private static func choices(_ name: String, on page: Answer) -> [String] {
        page.body.matches(of: #/(?s)<select[^>]*name="([^"]+)".*?</select>/#).filter { $0.1 == name }.flatMap {
            $0.0.matches(of: #/<option[^>]*value="([^"]*)"/#).map { String($0.1) }
        }
    }

    @Test("roles and actions that only schools have are not offered to a business", arguments: [true, false])
    func kinds(_ isSchool: Bool) async throws {
        try await TestServer.with { server in
            if !isSchool {
                try await server.database.write {
                    try $0.execute("UPDATE organization SET kind = 'business' WHERE name = 'Maple District'")
                }
            }
            let kind: Organization.Kind = isSchool ? .school : .business
            let visitor = try await ConsoleVisitor(.administrator, of: server, addingTerm: isSchool)
            let roles = Self.choices("role", on: try await visitor.browser.get("/manager/people"))
            #expect(roles == [""] + Role.allCases.filter { $0.isOffered(by: kind) }.map(\.rawValue))
            #expect(roles.contains("student") == isSchool && roles.contains("staff"))
            let actions = Self.choices("action", on: try await visitor.browser.get("/manager/activity"))
            #expect(actions.count > 40 && actions.contains("person.changed"))
            for action in ["class.created", "term.changed", "consent.granted", "roster.read"] {
                #expect(actions.contains(action) == isSchool, "\(action)")
            }
        }
    }
}
