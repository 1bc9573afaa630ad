import Directory
import Fixtures
import NIOHTTP1
import Testing

@testable import ServerHTTP
@testable import TestServers

@Suite struct PathInputTests {
    @Test(
        "a name in the path that is not percent-encoded UTF-8 is refused, and not read as an empty one",
        arguments: ["%FF", "%E0%A4", "a%C3", "%zz", "%4"])
    func broken(_ name: String) async throws {
        try await APIUser.with { user in
            let organization = user.server.maple.organization.publicID
            for (path, field) in [
                ("\(name)/people", "organization"), ("\(organization)/people/\(name)", "person"),
                ("\(organization)/jobs/\(name)", "job"),
            ] {
                // A URL type would repair such a path, so that it is sent as bytes.
                let answer = try await RawConnection.exchange(
                    """
                    GET /api/v1/organizations/\(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
                    Authorization: Bearer \(user.token)\r\n\r\n
                    """, port: user.server.port)
                #expect(answer.hasPrefix("HTTP/1.1 422 "), "\(path) \(answer)")
                #expect(answer.contains(#""field":"\#(field)""#), "\(path) \(answer)")
            }
        }
    }

    @Test(
        "in the address of a page it leads to none, and is no failure of the server", arguments: ["%FF", "a%C3", "%zz"])
    func pages(_ name: String) async throws {
        try await TestServer.with { server in
            for path in ["manager/people", "manager/classes", "manager/settings/roles", "manager/settings/domains"] {
                let answer = try await RawConnection.exchange(
                    "GET /\(path)/\(name) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: server.port)
                #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(path) \(answer.prefix(100))")
            }
        }
    }

    @Test("a plus sign in a path is a plus sign")
    func plus() async throws {
        try await APIUser.with { user in
            let made = try await user.send(
                .POST, "people",
                json: #"{"firstName": "Jun", "lastName": "Kim", "userName": "jun+1@maple.example", "role": "student"}"#)
            #expect(made.status == 200, "\(made.line)")
            for name in ["jun+1@maple.example", "jun%2B1%40maple.example"] {
                #expect(try await user.send(.GET, "people/\(name)").status == 200)
            }
        }
    }
}
