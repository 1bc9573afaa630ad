import Administration
import Directory
import Fixtures
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What belongs to teams, over the API.
@Suite struct TeamAPITests {
    @Test("no program of an organization does anything to a team, whatever it may do there")
    func programs() async throws {
        try await APIUser.with { user in
            for operation in OperationCatalog.all where operation.route.root == .server {
                let path = operation.route.pathInputs.reduce(operation.route.fullPath) {
                    $0.replacing("{\($1)}", with: $1 == "app" || $1 == "client" ? user.server.quizzler.clientID : "x")
                }
                let method = HTTPMethod(rawValue: operation.route.method.rawValue.uppercased())
                let refused = try await user.send(method, at: path)
                #expect(refused.status == 403, "\(operation.name) \(refused.line)")
                let nobody = try await user.server.browser().send(method, path, [:], body: nil)
                #expect(nobody.status == 401, "\(operation.name)")
            }
        }
    }

    @Test("the description has the paths of teams without an organization, and no job for them")
    func description() async throws {
        try await TestServer.with { server in
            let paths = try #require(
                try await server.browser().get("/api/v1/openapi.json").json["paths"] as? [String: [String: Any]])
            let set = try #require(paths["/api/v1/apps/{app}"]?["post"] as? [String: Any])
            let names = (set["parameters"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            #expect(names == ["app", "dryRun", "If-Match", "Idempotency-Key"])
            #expect((set["responses"] as? [String: Any])?["202"] == nil)
            #expect(paths["/api/v1/changes/{change}/undo"] != nil)
            #expect(!paths.keys.contains { $0.contains("bulk/app.") || $0.contains("bulk/team.") })
        }
    }
}
