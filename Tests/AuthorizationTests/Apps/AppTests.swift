import Authorization
import Directory
import Fixtures
import Ground
import Storage
import Synchronization
import Testing
import TestSupport

@Suite struct AppTests {
    @Test("an app is found by each of its client ids, whose case matters", arguments: TestDatabase.available)
    func found(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let other = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.b", "com.example.a"])
            for (clientID, app) in [
                ("com.example.quizzler", server.registered.app.id), ("com.example.a", other.app.id),
                ("com.example.b", other.app.id),
                ("com.example.Quizzler", nil), ("", nil), ("com.example.%", nil),
            ] as [(String, AppID?)] {
                let found = try await database.read { try App.find(clientID: clientID, in: $0) }
                #expect(found?.id == app)
            }
            let clientIDs = try await database.read { try App.clientIDs(of: other.app.id, in: $0) }
            #expect(clientIDs == ["com.example.b", "com.example.a"])
        }
    }

    @Test("an app that could not work is not made", arguments: TestDatabase.available)
    func refused(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            func insert(_ clientIDs: [String], _ scopes: Set<Scope> = [.usersRead]) async throws {
                _ = try await RegisteredApp.insert(
                    in: database, server.fixed, under: server.masterKey, clientIDs: clientIDs, scopes: scopes)
            }
            await #expect(throws: App.Problem.noScope) { try await insert(["com.example.x"], []) }
            await #expect(throws: App.Problem.clientIDTaken("com.example.quizzler")) {
                try await insert(["com.example.x", "com.example.quizzler"])
            }
            for id in ["", "a b", "é", "a\n", String(repeating: "x", count: 256)] {
                await #expect(throws: App.Problem.malformedClientID(id)) { try await insert([id]) }
            }
            let apps = try await database.read { try App.list(in: $0) }
            #expect(apps.map(\.id) == [server.registered.app.id])
        }
    }

    @Test("return URLs are replaced as a whole", arguments: TestDatabase.available)
    func returnURLs(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let app = try await AuthorizationServer(database: database).registered.app
            let urls = try ["https://b.example/", "https://a.example/", "https://b.example/"].map {
                try ReturnURL($0, allowingLoopback: false)
            }
            try await database.write { try app.put(returnURLs: urls, in: $0) }
            let stored = try await database.read { try App.returnURLs(of: app.id, in: $0) }
            #expect(stored == ["https://a.example/", "https://b.example/"])
        }
    }

    @Test(
        "a secret does not begin like an option of a command: another one is made",
        arguments: TestDatabase.available)
    func secretIsNoOption(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            // Taken from the end. In base64url, the bits 111110 are a hyphen, with which the first secret would begin.
            final class Bytes: Sendable { let left = Mutex<[UInt8]>([0x00, 0xfb, 0xf8]) }
            let bytes = Bytes()
            let surroundings = Surroundings(
                now: { server.fixed.now },
                randomBytes: { count in
                    [UInt8](repeating: bytes.left.withLock { $0.popLast() } ?? 0xff, count: count)
                })
            let secret = try await database.write {
                try Client.find("com.example.quizzler", in: $0)?.makeSecret(from: surroundings, in: $0).text
            }
            #expect(secret == String(repeating: "A", count: 43))
            #expect(bytes.left.withLock { $0.isEmpty })
        }
    }
}
