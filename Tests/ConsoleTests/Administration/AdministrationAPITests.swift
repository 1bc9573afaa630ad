import Administration
import Directory
import Fixtures
import Ground
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

@Suite struct AdministrationAPITests {
    @Test("people are listed page by page, shown, made and changed", arguments: TestDatabase.available)
    func people(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let first = try await user.send(.GET, "people?limit=2&role=student")
            #expect(first.status == 200 && first.list("people").count == 2, "\(first.line)")
            let next = try #require(first.json["next"] as? Int)
            let second = try await user.send(.GET, "people?limit=2&role=student&after=\(next)")
            #expect(second.list("people").first?["number"] as? Int ?? 0 > next)

            let made = try await user.send(
                .POST, "people",
                json: #"{"firstName": "Jun", "lastName": "김", "userName": "jun@maple.example", "role": "student"}"#)
            #expect(made.status == 200, "\(made.line)")
            let result = try #require(made.json["result"] as? [String: Any])
            #expect(result["lastName"] as? String == "김")
            #expect(made["ETag"] == "\"\(result["version"] as? String ?? "")\"")
            let shown = try await user.send(.GET, "people/jun%40maple.example")
            #expect(shown.json["number"] as? Int == result["number"] as? Int)
            #expect(shown["ETag"] == made["ETag"])

            let password = try await user.send(.POST, "people/jun%40maple.example/password")
            #expect((password.json["result"] as? [String: Any])?["password"] is String, "\(password.line)")
            let removed = try await user.send(.DELETE, "people/jun@maple.example/roles/student")
            #expect(removed.status == 200, "\(removed.line)")
        }
    }

    @Test("a dry run says what would be changed, and changes nothing")
    func dryRun() async throws {
        try await APIUser.with { user in
            let path = "people/PE-\(user.server.maple.nadia.id.rawValue)"
            let before = try await user.send(.GET, path).body
            let preview = try await user.send(.POST, path + "/deactivate?dryRun=true")
            #expect(preview.json["counts"] as? [String: Int] == ["person.changed": 1], "\(preview.line)")
            #expect(preview.list("effects").first?["detail"] as? String == "deactivated")
            #expect(try await user.send(.GET, path).body == before)
        }
    }

    @Test("a change on a stale version is refused with 412 and the version of now")
    func versions() async throws {
        try await APIUser.with { user in
            let path = "people/PE-\(user.server.maple.nadia.id.rawValue)"
            let seen = try #require(try await user.send(.GET, path)["ETag"])
            let changed = try await user.send(.POST, path + "/roles", ["If-Match": seen], json: #"{"role": "staff"}"#)
            #expect(changed.status == 200, "\(changed.line)")
            let stale = try await user.send(.POST, path + "/deactivate", ["If-Match": seen])
            #expect(stale.status == 412)
            #expect(stale.json["type"] as? String == "urn:lanyard:problem:stale")
            #expect(stale["ETag"] == changed["ETag"] && stale["ETag"] != seen)
            let unquoted = try await user.send(.POST, path + "/deactivate", ["If-Match": "abc"])
            #expect(unquoted.status == 422)
            let current = try #require(changed["ETag"])
            #expect(try await user.send(.POST, path + "/deactivate", ["If-Match": current]).status == 200)
        }
    }

    @Test("a version counts where something is set that was not there, and is refused where there is none to compare")
    func versionsOfNothing() async throws {
        try await APIUser.with { user in
            let path = "retention/left-people"
            let stale = try await user.send(.POST, path, ["If-Match": "\"nonsense\""], json: #"{"days": 730}"#)
            #expect(stale.status == 412 && stale["ETag"] == "\"none\"", "\(stale.line)")
            let set = try await user.send(.POST, path, ["If-Match": "\"none\""], json: #"{"days": 730}"#)
            #expect(set.status == 200 && set["ETag"] == "\"730\"", "\(set.line)")
            let late = try await user.send(.POST, path, ["If-Match": "\"none\""], json: #"{"days": 365}"#)
            #expect(late.status == 412 && late["ETag"] == set["ETag"], "\(late.line)")

            let item = #"{"domain": "pupils.maple.example"}"#
            let before = try await (user.server.count("domain"), user.server.count("administration_job"))
            let (many, archive) = (#"{"items": [\#(item)]}"#, #"{"archive": "UEsDBA=="}"#)
            for (path, json) in [
                ("bulk/domain.add", many), ("bulk/domain.add?dryRun=true", many), ("imports", archive),
                ("imports?dryRun=true", archive), ("passwords", "{}"),
            ] {
                let refused = try await user.send(.POST, path, ["If-Match": "\"nonsense\""], json: json)
                #expect(refused.status == 422 && refused.json["field"] as? String == "version", "\(refused.line)")
            }
            let after = try await (user.server.count("domain"), user.server.count("administration_job"))
            #expect(before == after)
        }
    }

    @Test("bad input is a problem that names the field, and changes nothing")
    func badInput() async throws {
        try await APIUser.with { user in
            let name = String(repeating: "ก", count: 500)
            let cases: [(HTTPMethod, String, String?, Int, String?)] = [
                (.POST, "people", #"{"firstName": "A"}"#, 422, "lastName"),
                (.POST, "people", #"{"firstName": 1, "lastName": "B"}"#, 422, "firstName"),
                (.POST, "people", #"{"firstName": "A", "lastName": "B", "role": "king"}"#, 422, "role"),
                (.POST, "people", #"{"firstName": "A", "lastName": "B", "shoe": 1}"#, 422, "field “shoe”"),
                (
                    .POST, "people", #"{"firstName": "\#(name)", "lastName": "B", "userName": "x@y.example"}"#, 422,
                    "first name"
                ),
                (.POST, "people", "[]", 422, "body"),
                (.POST, "people", "{", 422, "body"),
                (.GET, "people?limit=x", nil, 422, "limit"),
                (.GET, "people?limit=0", nil, 422, "limit"),
                (.GET, "people?limit=1&limit=2", nil, 422, "field “limit”"),
                (.GET, "people?colour=red", nil, 422, "field “colour”"),
                (.GET, "people/nobody", nil, 404, nil),
                (.GET, "people?at=Nowhere", nil, 404, nil),
                (.POST, "people/nobody/deactivate?dryRun=perhaps", nil, 422, "dryRun"),
                (.GET, "nothing", nil, 404, nil),
                (.PUT, "people", nil, 405, nil),
            ]
            let before = try await user.send(.GET, "people?limit=1000").body
            for (method, path, json, status, field) in cases {
                let answer = try await user.send(method, path, json: json)
                #expect(answer.status == status, "\(path) \(answer.line)")
                #expect(answer["Content-Type"] == "application/problem+json")
                #expect(answer.json["status"] as? Int == status)
                #expect(answer.json["field"] as? String == field, "\(path) \(answer.line)")
                #expect(answer.json["requestID"] as? String == answer["X-Request-Id"])
            }
            #expect(try await user.send(.POST, "people", ["Content-Type": "text/plain"], json: "{}").status == 415)
            #expect(try await user.send(.GET, "people?limit=1000").body == before)
        }
    }

    @Test("a token does what its client may, for its organization, and no longer than it counts")
    func tokens() async throws {
        try await APIUser.with([.readPeople]) { user in
            #expect(try await user.send(.GET, "people").status == 200)
            let nadia = "people/PE-\(user.server.maple.nadia.id.rawValue)"
            let refused = try await user.send(.POST, nadia + "/deactivate")
            #expect(refused.status == 403 && refused.json["type"] as? String == "urn:lanyard:problem:forbidden")
            let other = try await user.server.browser().get(
                "/api/v1/organizations/Another/people", ["Authorization": "Bearer \(user.token)"])
            #expect(other.status == 404)
            let nobody = try await user.server.browser().get("/api/v1/organizations/x/people")
            #expect(nobody.status == 401 && nobody["WWW-Authenticate"] == "Bearer")
            let wrong = try await user.send(.GET, "people", ["Authorization": "Bearer x"])
            #expect(wrong.status == 401 && wrong["WWW-Authenticate"] == #"Bearer error="invalid_token""#)
            user.server.fixed.advance(by: 3_601)
            #expect(try await user.send(.GET, "people").status == 401)
        }
    }

    @Test("a client gets no more than it has, and nothing with a wrong secret or after it was revoked")
    func clients() async throws {
        try await APIUser.with([.readPeople, .manageAPIClients]) { user in
            func ask(_ fields: [String: String]) async throws -> Answer {
                let standard = [
                    "grant_type": "client_credentials", "client_id": user.clientID, "client_secret": user.secret,
                ]
                return try await user.server.browser().post("/api/v1/token", standard.merging(fields) { $1 })
            }
            #expect(try await ask(["scope": "people.read"]).json["scope"] as? String == "people.read")
            #expect(try await ask(["scope": "people.manage"]).error == "invalid_scope")
            #expect(try await ask(["scope": "everything"]).error == "invalid_scope")
            #expect(try await ask(["client_secret": "x"]).line.contains("invalid_client"))
            #expect(try await ask(["grant_type": "password"]).error == "unsupported_grant_type")

            // It makes no client that may more than itself.
            let more = try await user.send(
                .POST, "api-clients", json: #"{"name": "B", "privileges": ["people.manage"]}"#)
            #expect(more.status == 403)
            let list = try await user.send(.GET, "api-clients")
            #expect(list.list("clients").count == 1 && !list.body.contains(user.secret))
            #expect(try await user.send(.DELETE, "api-clients/\(user.clientID)").status == 200)
            #expect(try await user.send(.GET, "people").status == 401)
            #expect(try await ask([:]).error == "invalid_client")
        }
    }

    @Test("a program manages everybody but Administrators")
    func administrators() async throws {
        try await APIUser.with { user in
            let ada = "people/PE-\(user.server.maple.administrator.id.rawValue)"
            #expect(try await user.send(.GET, ada).status == 200)
            for act in ["deactivate", "password", "sign-out", "unlock"] {
                #expect(try await user.send(.POST, "\(ada)/\(act)").status == 403, "\(act)")
            }
            let crown = try await user.send(
                .POST, "people/nadia@maple.example/roles", json: #"{"role": "administrator"}"#)
            #expect(crown.status == 403)
        }
    }

    @Test("the description has each operation with its inputs, and is served without a token")
    func description() async throws {
        try await TestServer.with { server in
            let answer = try await server.browser().get("/api/v1/openapi.json")
            #expect(answer.status == 200 && answer.json["openapi"] as? String == "3.1.0")
            let paths = try #require(answer.json["paths"] as? [String: [String: [String: Any]]])
            let ids = paths.values.flatMap { $0.values }.compactMap { $0["operationId"] as? String }
            let operations = OperationCatalog.all + OperationCatalog.bulk
            #expect(Set(ids) == Set(operations.map { $0.name }).union(["job.show", "change.undo", "team.change.undo"]))
        }
    }
}
