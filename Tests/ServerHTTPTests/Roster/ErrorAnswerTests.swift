import Directory
import Fixtures
import NIOHTTP1
import Testing

@testable import TestServers

/// What a roster call is refused with: docs/specifications/roster-api.md, 1.7 to 1.12.
@Suite struct ErrorAnswerTests {
    @Test("every refusal is JSON with our own keys, and its request id is the header's and the log's")
    func bodies() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect(scope: "edu.users.read")
            let refusals = [
                (try await server.roster("/users?limit=0", tokens), 400, "bad_request"),
                (try await server.roster("/users", bearer: "x"), 401, "unauthorized"),
                (try await server.roster("/classes", tokens), 403, "forbidden"),
                (try await server.roster("/users/1234", tokens), 404, "not_found"),
                (try await server.roster("/terms", tokens), 404, "not_found"),
            ]
            for (answer, status, code) in refusals {
                #expect(answer.status == status)
                #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
                #expect(Set(answer.json.keys) == ["error", "message", "requestId"])
                #expect(answer.error == code)
                let id = try #require(answer["X-Request-Id"])
                #expect(answer.json["requestId"] as? String == id)
                let lines = server.log.lines.filter { $0.metadata["hb.request.id"] == id }
                #expect(lines.contains { $0.metadata["reason"] != nil })
                #expect(lines.contains { $0.metadata["status"] == "\(status)" })
            }
        }
    }

    @Test("a 401 says which scheme it wants, and no error to whoever has shown no token")
    func challenge() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let browser = server.browser()
            let headers: [([String: String], String)] = [
                ([:], "Bearer"), (["Authorization": tokens.access], "Bearer"),
                (["Authorization": "Basic \(tokens.access)"], "Bearer"),
                (["Authorization": "Bearer"], #"Bearer error="invalid_token""#),
                (["Authorization": "Bearer \(tokens.access) x"], #"Bearer error="invalid_token""#),
                (["Authorization": "Bearer x"], #"Bearer error="invalid_token""#),
            ]
            for (header, challenge) in headers {
                let answer = try await browser.get("/rosterapi/v1/users", header)
                #expect(answer.status == 401)
                #expect(answer["WWW-Authenticate"] == challenge, "\(header)")
            }
            let lenient = try await browser.get("/rosterapi/v1/users", ["Authorization": "bearer \(tokens.access)"])
            #expect(lenient.status == 200)
        }
    }

    @Test("a missing scope is 403, with either family of paths")
    func missingScope() async throws {
        try await TestServer.with { server in
            let classes = try await server.connect(scope: "edu.classes.read")
            for path in ["/users", "/users/x", "/classes/CL-\(server.maple.science.rawValue)/users"] {
                #expect(try await server.roster(path, classes).status == 403)
            }
            let users = try await server.connect(server.rival, scope: "edu.users.read")
            let science = "/classes/CL-\(server.maple.science.rawValue)"
            for path in ["/classes", science, "\(science)/users"] {
                #expect(try await server.roster(path, users).status == 403)
            }
        }
    }

    @Test("a parameter that cannot be read is 400")
    func badParameters() async throws {
        let queries = [
            "limit=0", "limit=-1", "limit=1.5", "limit=ten", "limit=%2B5", "limit=٣", "limit=00", "limit=5&limit=5",
            "pageToken=x", "pageToken=", "nextPageToken=AAAA", "role=Teacher", "role=Student,Staff",
            "role=Student&role=Staff", "limit=%zz", "limit=%",
        ]
        try await TestServer.with { server in
            let tokens = try await server.connect()
            for query in queries {
                let request = """
                    GET /rosterapi/v1/users?\(Self.wire(query)) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
                    Authorization: Bearer \(tokens.access)\r\n\r\n
                    """
                let answer = try await RawConnection.exchange(request, port: server.port)
                // An empty parameter counts as left out.
                let status = query == "pageToken=" ? "200 OK" : "400 Bad Request"
                #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(query)")
            }
        }
    }

    /// Only visible ASCII goes over the wire.
    private static func wire(_ text: String) -> String {
        text.utf8.map { (0x21...0x7e).contains($0) ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16) }.joined()
    }

    @Test("unknown parameters, and role where it means nothing, are ignored")
    func unknownParameters() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            for path in [
                "/users?foo=bar&a&b=&=c", "/classes?role=Teacher", "/locations?role=", "/organization?limit=x",
            ] {
                #expect(try await server.roster(path, tokens).status == 200)
            }
        }
    }

    @Test("another method is 405 with Allow, on every path of the roster")
    func methods() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let authorization = ["Authorization": "Bearer \(tokens.access)"]
            let paths = [
                "users", "users/1", "classes", "classes/1", "classes/1/users", "organization", "locations",
                "locations/1",
            ]
            for path in paths {
                for method in ["POST", "PUT", "PATCH", "DELETE"] {
                    let answer = try await server.browser().send(
                        .init(rawValue: method), "/rosterapi/v1/\(path)", authorization)
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(answer["Allow"] == "GET, HEAD")
                    #expect(answer.error == "method_not_allowed")
                }
            }
        }
    }

    @Test("an unknown path is 404 in JSON")
    func unknownPaths() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            for path in ["", "/", "/courses", "/users/1/2", "/classes/CL-1/users/1", "/Users", "/classes//users"] {
                let answer = try await server.roster(path, tokens)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.error == "not_found")
            }
        }
    }

    @Test("HEAD answers as GET does, without a body")
    func head() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let get = try await server.roster("/users", tokens)
            let head = try await server.browser().send(
                .HEAD, "/rosterapi/v1/users", ["Authorization": "Bearer \(tokens.access)"])
            #expect(head.line == "200 ")
            #expect(head["Content-Length"] == get["Content-Length"])
            #expect(head["Content-Type"] == get["Content-Type"])
        }
    }
}
