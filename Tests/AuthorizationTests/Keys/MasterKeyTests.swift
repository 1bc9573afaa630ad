import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct MasterKeyTests {
    /// Runs `body` with the path of a key file that is not there yet, in a folder that is not there yet.
    private func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("keys/master.key").path)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private let surroundings = FixedSurroundings().surroundings

    @Test("a missing key is made, readable by its owner alone, and loaded from then on")
    func made() throws {
        try withPath { path in
            let first = try MasterKey.load(path: path, surroundings: surroundings)
            let sealed = try first.seal(Data("secret".utf8), for: "test")
            let second = try MasterKey.load(path: path, surroundings: surroundings)
            #expect(try second.open(sealed, for: "test") == Array("secret".utf8))
            #expect(try mode(path) == 0o600)
            #expect(try mode(URL(fileURLWithPath: path).deletingLastPathComponent().path) == 0o700)
        }
    }

    @Test("a key that others can read is refused", arguments: [0o604, 0o640, 0o660, 0o610, 0o644])
    func readableByOthers(_ mode: Int) throws {
        try withPath { path in
            _ = try MasterKey.load(path: path, surroundings: surroundings)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(throws: MasterKey.Problem.readableByOthers(path: path)) {
                try MasterKey.load(path: path, surroundings: surroundings)
            }
        }
    }

    @Test(
        "a file that holds no key is refused and left as it is",
        arguments: [
            "", "\n", "hello", Data(count: 31).base64EncodedString(), Data(count: 33).base64EncodedString(),
            String(repeating: "=", count: 44),
        ])
    func malformed(_ text: String) throws {
        try withPath { path in
            _ = try MasterKey.load(path: path, surroundings: surroundings)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            #expect(throws: MasterKey.Problem.malformed(path: path)) {
                try MasterKey.load(path: path, surroundings: surroundings)
            }
            #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        }
    }

    @Test("a path where no file can be is told, not worked around")
    func unreadable() throws {
        try withPath { path in
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            #expect(throws: MasterKey.Problem.self) { try MasterKey.load(path: path, surroundings: surroundings) }
            #expect(throws: MasterKey.Problem.self) {
                try MasterKey.load(path: "/dev/null/master.key", surroundings: surroundings)
            }
        }
    }

    @Test(
        "a key file is made only for a database without keys, and only by who may make one",
        arguments: TestDatabase.available)
    func madeOnce(_ kind: TestDatabase) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("master.key").path
        let elsewhere = folder.appendingPathComponent("other.key").path
        let surroundings = surroundings
        try await kind.with { database in
            func load(_ path: String, mayMake: Bool) async throws -> MasterKey {
                try await MasterKey.load(path: path, for: database, mayMake: mayMake, surroundings: surroundings)
            }
            await #expect(throws: MasterKey.Problem.missing(path: path)) { try await load(path, mayMake: false) }
            #expect(!FileManager.default.fileExists(atPath: path))
            let key = try await load(path, mayMake: true)
            _ = try await load(path, mayMake: false)
            try await database.write { transaction in
                _ = try Team.insert(
                    name: "Quizzler Inc.", at: FixedSurroundings.start, from: surroundings, under: key,
                    in: transaction)
            }
            _ = try await load(path, mayMake: true)
            for mayMake in [true, false] {
                await #expect(throws: MasterKey.Problem.missing(path: elsewhere)) {
                    try await load(elsewhere, mayMake: mayMake)
                }
            }
            #expect(!FileManager.default.fileExists(atPath: elsewhere))
            _ = try MasterKey.load(path: elsewhere, surroundings: surroundings)
            await #expect(throws: MasterKey.Problem.foreign(path: elsewhere)) {
                try await load(elsewhere, mayMake: false)
            }
        }
    }

    @Test("the server's own keys alone are reason enough to make no other", arguments: TestDatabase.available)
    func serverKeys(_ kind: TestDatabase) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
        let path = folder.appendingPathComponent("master.key").path
        let surroundings = surroundings
        try await kind.with { database in
            try await database.write {
                try $0.execute(
                    "INSERT INTO server_key (key_id, purpose, sealed_key, created_at) VALUES ($1, $2, $3, $4)",
                    ["ABCDEFGHJK", "seal_page_tokens", [UInt8](repeating: 1, count: 60), FixedSurroundings.start])
            }
            await #expect(throws: MasterKey.Problem.missing(path: path)) {
                try await MasterKey.load(path: path, for: database, mayMake: true, surroundings: surroundings)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("what was sealed opens with the same key for the same purpose only")
    func seals() throws {
        let key = MasterKey(bytes: surroundings.randomBytes(32))
        let other = MasterKey(bytes: surroundings.randomBytes(32))
        let sealed = try key.seal(Data("secret".utf8), for: "purpose")
        #expect(try key.open(sealed, for: "purpose") == Array("secret".utf8))
        #expect(throws: MasterKey.Problem.doesNotFit) { try other.open(sealed, for: "purpose") }
        #expect(throws: MasterKey.Problem.doesNotFit) { try key.open(sealed, for: "another purpose") }
        #expect(throws: MasterKey.Problem.doesNotFit) { try key.open([], for: "purpose") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: MasterKey.Problem.doesNotFit) { try key.open(changed, for: "purpose") }
        }
    }
}
