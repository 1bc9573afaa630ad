import Fixtures
import Foundation
import NIOHTTP1
import Testing

@testable import ServerHTTP
@testable import TestServers

@Suite struct AssociationTests {
    private static let path = "/.well-known/apple-app-site-association"

    @Test func `the server names the extension that ships with it, as JSON and without a redirect`()
        async throws
    {
        try await TestServer.with { server in
            let answer = try await server.browser().get(Self.path)
            #expect(
                answer.line
                    == #"200 {"authsrv":{"apps":["LANYARD.org.lanyard.openid","LANYARD.org.lanyard.openid.extension"]}}"#
            )
            #expect(answer["Content-Type"] == "application/json")
            #expect(answer["Cache-Control"] == "public, max-age=3600")
            #expect(answer.cookies.isEmpty)
            let head = try await server.browser().send(.HEAD, Self.path)
            #expect(head.status == 200 && head["Content-Type"] == "application/json")
            #expect(try await server.browser().send(.POST, Self.path).status == 405)
        }
    }

    @Test func `the operator says which apps; without any there is no file`() async throws {
        try await TestServer.with(configure: { $0.associatedApps = ["ACME123456.test.acme.signin"] }) { server in
            let apps = try await server.browser().get(Self.path).json["authsrv"] as? [String: [String]]
            #expect(apps == ["apps": ["ACME123456.test.acme.signin"]])
        }
        try await TestServer.with(configure: { $0.associatedApps = [] }) { server in
            let answer = try await server.browser().get(Self.path)
            #expect(answer.status == 404)
        }
    }

    @Test(arguments: ["", "ACME", "ACME.", ".test", "ACME.a b", "ACME.test/x", "ACME.*", "ACME.tést", "A..b"])
    func `an app that is none stops the start`(app: String) throws {
        var configuration = try ServerConfiguration(baseURL: TestServer.baseURL)
        configuration.associatedApps = [app]
        #expect(throws: ServerConfiguration.Problem.self) { try configuration.check() }
    }
}
