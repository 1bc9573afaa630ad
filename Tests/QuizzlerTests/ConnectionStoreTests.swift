import Foundation
import Testing
@testable import quizzler

@Suite struct ConnectionStoreTests {
    private func withFolder(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quizzler-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder)
    }

    private static let connection = Connection(
        organizationID: "o", organizationName: "O", id: UUID(), refreshToken: "r",
        connectedAt: Date(timeIntervalSince1970: 1_767_225_600), visitorKey: "v")

    @Test("what was stored is there after a restart, readable by the owner only")
    func restart() async throws {
        try await withFolder { folder in
            try await ConnectionStore(folder: folder).update { $0.connections["o"] = Self.connection }
            #expect(await (try ConnectionStore(folder: folder)).connections == [Self.connection])

            let file = folder.appendingPathComponent("quizzler.json")
            let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(permissions == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["quizzler.json"])
        }
    }

    @Test("a change that fails, or cannot be written, leaves memory and file as they were")
    func failure() async throws {
        try await withFolder { folder in
            let store = try ConnectionStore(folder: folder)
            try await store.update { $0.connections["o"] = Self.connection }
            await #expect(throws: CancellationError.self) {
                try await store.update { contents in
                    contents.connections = [:]
                    throw CancellationError()
                }
            }
            // A folder where the draft of the file would go.
            let obstacle = folder.appendingPathComponent("quizzler.json.new")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
            await #expect(throws: (any Error).self) { try await store.update { $0.connections = [:] } }

            #expect(await store.connections == [Self.connection])
            #expect(await (try ConnectionStore(folder: folder)).connections == [Self.connection])
        }
    }

    @Test("a damaged file stops the start and stays as it is")
    func damaged() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("quizzler.json")
            try Data("{".utf8).write(to: file)
            #expect(throws: DecodingError.self) { try ConnectionStore(folder: folder) }
            #expect(try String(contentsOf: file, encoding: .utf8) == "{")
        }
    }
}
