import Administration
import Directory
import Fixtures
import Foundation
import Ground
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP

/// A program with a token of the administration API.
struct APIUser: Sendable {
    let server: TestServer
    let clientID: String
    let secret: String
    let token: String

    static func with(
        _ privileges: [Privilege] = Array(Privilege.ofOrganizations), on kind: TestDatabase = .sqlite,
        at start: Date = FixedSurroundings.start,
        configure: (inout ServerConfiguration) throws -> Void = { _ in },
        _ body: @Sendable (APIUser) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, at: start, configure: configure) { server in
            try await body(try await APIUser(server, "Timetable", privileges))
        }
    }

    private init(_ server: TestServer, _ name: String, _ privileges: [Privilege]) async throws {
        let made = try await Self.operator(of: server).perform(
            AddAPIClient(name: name, privileges: privileges), in: .named(server.maple.organization.publicID)
        ).answer
        try await self.init(server, clientID: made.client.clientID, secret: made.secret)
    }

    private init(_ server: TestServer, clientID: String, secret: String) async throws {
        let answer = try await server.browser().post(
            "/api/v1/token",
            ["grant_type": "client_credentials", "client_id": clientID, "client_secret": secret])
        #expect(answer.status == 200, "\(answer.line)")
        #expect(answer.json["token_type"] as? String == "Bearer")
        #expect(answer.json["expires_in"] as? Int == 3_600)
        #expect(answer.json["organization"] as? String == server.maple.organization.publicID)
        self.server = server
        self.clientID = clientID
        self.secret = secret
        token = try #require(answer.json["access_token"] as? String)
    }

    static func services(of server: TestServer) -> AdministrationServices {
        AdministrationServices(
            surroundings: server.fixed.surroundings,
            hasher: PasswordHasher(cost: .low, surroundings: server.fixed.surroundings), passwordNotice: nil,
            masterKey: server.scene.masterKey)
    }

    static func `operator`(of server: TestServer) -> Administrator {
        Administrator(.operator, from: .commandLine, database: server.database, services: services(of: server))
    }

    /// The same program with a new token.
    func renewed() async throws -> APIUser { try await APIUser(server, clientID: clientID, secret: secret) }

    /// Another program of the same organization.
    func another(
        name: String, _ privileges: [Privilege] = Array(Privilege.ofOrganizations)
    ) async throws -> APIUser {
        try await APIUser(server, name, privileges)
    }

    /// Ends what this program may do.
    func revoke() async throws {
        _ = try await Self.operator(of: server).perform(
            RevokeAPIClient(client: clientID), in: .named(server.maple.organization.publicID))
    }

    func send(
        _ method: HTTPMethod, _ path: String, _ headers: [String: String] = [:], json: String? = nil
    ) async throws -> Answer {
        try await send(method, at: "/api/v1/organizations/\(server.maple.organization.publicID)/\(path)", headers, json)
    }

    /// The job at a path, once it has ended.
    func ended(_ path: String) async throws -> Answer {
        for _ in 0..<2_000 {
            let answer = try await send(.GET, at: path, [:], nil)
            // Asking too often is refused until the server's clock has moved, and only the test moves it.
            let isTooEarly = answer.status == 429
            if isTooEarly { server.fixed.advance(by: 1) }
            guard isTooEarly || ["waiting", "running"].contains(answer.json["state"] as? String) else { return answer }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NeverEnded()
    }

    struct NeverEnded: Error {}

    func send(
        _ method: HTTPMethod, at path: String, _ headers: [String: String] = [:], _ json: String? = nil
    ) async throws -> Answer {
        var headers = headers.merging(["Authorization": "Bearer \(token)"]) { first, _ in first }
        if json != nil { headers["Content-Type"] = headers["Content-Type"] ?? "application/json" }
        return try await server.browser().send(method, path, headers, body: json)
    }
}
