import Testing

@testable import TestServers

/// The synthetic school behind the test scope: docs/specifications/roster-api.md, 7.
@Suite struct TestSchoolTests {
    @Test("it shows every state that a record can have, and needs more than one page")
    func everyState() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect(as: server.scene.developer, scope: TestServer.testScope)
            let users = try await server.roster("/users?limit=1000", tokens).list("users")
            let classes = try await server.roster("/classes", tokens).list("classes")
            let locations = try await server.roster("/locations", tokens).list("locations")
            let organization = try await server.roster("/organization", tokens).json
            func isStudent(_ user: [String: Any]) -> Bool { user["roles"] as? [String] == ["Student"] }
            func mapping(_ user: [String: Any]) -> [[String: String]] {
                user["roleLocationMapping"] as? [[String: String]] ?? []
            }
            func count(_ value: [String: Any], _ key: String) -> Int { (value[key] as? [String])?.count ?? -1 }

            #expect(
                users.contains { isStudent($0) && $0["email"] != nil && $0["grade"] != nil && $0["middleName"] != nil })
            #expect(users.contains { isStudent($0) && $0["email"] == nil })
            #expect(users.contains { isStudent($0) && $0["grade"] == nil })
            #expect(users.contains { isStudent($0) && $0["middleName"] == nil })
            #expect(users.contains { $0["roles"] as? [String] == ["Staff"] })
            #expect(users.contains { count($0, "roles") == 2 })
            #expect(users.contains { user in Set(mapping(user).map { $0["locationId"] }).count == 2 })
            #expect(users.contains { mapping($0).contains { $0["locationId"] == organization["id"] as? String } })
            #expect(classes.contains { $0["room"] == nil })
            #expect(classes.contains { $0["displayName"] == nil } && classes.contains { $0["displayName"] != nil })
            #expect(classes.contains { count($0, "studentIds") == 0 })
            #expect(classes.contains { count($0, "instructorIds") == 2 })
            #expect(locations.count >= 2)
            #expect(try await server.roster("/users", tokens).json["moreToFollow"] as? Bool == true)
            // Whatever it refers to is there.
            let ids = Set(users.compactMap { $0["id"] as? String })
            for found in classes {
                for key in ["instructorIds", "studentIds"] {
                    #expect(ids.isSuperset(of: found[key] as? [String] ?? []))
                }
            }
        }
    }

    @Test("its organization cannot be reached by a production scope")
    func alone() async throws {
        try await TestServer.with { server in
            let page = try await server.openConsent(server.quizzler, as: server.scene.developer, in: server.browser())
            #expect(page.status == 403)
        }
    }
}
