import Authorization
import Crypto
import CryptoExtras
import Directory
import Fixtures
import Foundation
import Schema
import Storage
import TestSupport
import Testing

@Suite struct ServerKeysTests {
    @Test(
        "two servers that start at once end up with the same keys, and so does a later one",
        arguments: TestDatabase.available)
    func sameKeys(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let masterKey = MasterKey(bytes: [UInt8](repeating: 7, count: 32))
            @Sendable func load(_ seed: UInt64) async throws -> [String] {
                let surroundings = FixedSurroundings(seed: seed).surroundings
                let keys = try await ServerKeys.load(from: database, under: masterKey, surroundings: surroundings)
                return [
                    try await keys.signing.current(.rs256).keyID, try await keys.signing.current(.es256).keyID,
                    "\(try await keys.signing.published().map(\.publicHalf))", keys.accessTokens.keyID,
                    keys.pageTokens.keyID,
                    keys.accessTokens.key.withUnsafeBytes { Data($0).base64EncodedString() },
                    keys.pageTokens.key.withUnsafeBytes { Data($0).base64EncodedString() },
                ]
            }
            async let first = load(1)
            async let second = load(2)
            let (one, two) = (try await first, try await second)
            let later = try await load(3)
            #expect(one == two)
            #expect(one == later)
            let stored = try await database.read {
                try $0.first("SELECT COUNT(*) FROM server_key") { try $0[0] as Int }
            }
            #expect(stored == 4)
        }
    }

    @Test(
        "a server of before gets an ES256 key at its next start, and keeps the key that it has",
        arguments: TestDatabase.available)
    func upgrade(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Schema.migrations.filter { $0.number < 19 }) { database in
            let masterKey = MasterKey(bytes: [UInt8](repeating: 7, count: 32))
            let former = try masterKey.seal(
                Array(try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation), for: "sign_tokens")
            let madeAt = Date(timeIntervalSince1970: 1)
            try await database.write {
                try $0.execute(
                    "INSERT INTO server_key (key_id, purpose, sealed_key, created_at) VALUES ($1, $2, $3, $4)",
                    ["FORMERKEY1", "sign_tokens", former, madeAt])
            }
            try await database.migrate(Schema.migrations)
            let surroundings = FixedSurroundings().surroundings
            let keys = try await ServerKeys.load(from: database, under: masterKey, surroundings: surroundings).signing
            let current = try await keys.current(.rs256)
            #expect(current.keyID == "FORMERKEY1")
            let published = try await keys.published()
            #expect(published.map(\.algorithm) == [.rs256, .es256])
            let again = try await ServerKeys.load(from: database, under: masterKey, surroundings: surroundings).signing
            let still = try await again.published()
            #expect(still.map(\.keyID) == published.map(\.keyID))
        }
    }

    @Test("keys sealed under another master key do not fit", arguments: TestDatabase.available)
    func doesNotFit(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let other = MasterKey(bytes: [UInt8](repeating: 9, count: 32))
            await #expect(throws: MasterKey.Problem.doesNotFit) {
                try await ServerKeys.load(from: database, under: other, surroundings: server.fixed.surroundings)
            }
            let identifiers = TeamIdentifiers(database: database, masterKey: other)
            await #expect(throws: MasterKey.Problem.doesNotFit) { try await identifiers.of(server.registered.team.id) }
        }
    }

    @Test("no key stands in the database in clear", arguments: TestDatabase.available)
    func sealed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let clear = server.keys.pageTokens.key.withUnsafeBytes { Array($0) }
            let stored = try await database.read {
                try $0.all("SELECT sealed_key FROM server_key") { try $0[0] as [UInt8] }
            }
            #expect(stored.count == 4)
            #expect(stored.allSatisfy { !$0.contains(clear) })
        }
    }

    @Test("ids of teams and keys are ten capital letters and digits")
    func shortIDs() {
        let surroundings = FixedSurroundings().surroundings
        let ids = (0..<1_000).map { _ in ShortID.make(from: surroundings) }
        #expect(ids.allSatisfy { $0.wholeMatch(of: #/[A-Z0-9]{10}/#) != nil })
        #expect(Set(ids).count == 1_000)
    }
}
