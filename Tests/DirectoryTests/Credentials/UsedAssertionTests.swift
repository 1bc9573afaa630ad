import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct UsedAssertionTests {
    private static let now = FixedSurroundings.start

    private static func note(
        _ use: String, for seconds: TimeInterval, at now: Date = now, in database: any Database
    ) async throws -> Bool {
        try await database.write {
            try UsedAssertion.note(
                SecretHash(of: use), until: now.addingTimeInterval(seconds), at: now, in: $0)
        }
    }

    @Test("an assertion is used once, until its time is over", arguments: TestDatabase.available)
    func once(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let isFirst = try await Self.note("a", for: 60, in: database)
            #expect(isFirst)
            #expect(try await !Self.note("a", for: 60, in: database))
            #expect(try await Self.note("b", for: 90, in: database))
            let later = Self.now.addingTimeInterval(60)
            // The time of the first one is over, so it is forgotten; the other's is not.
            #expect(try await !Self.note("b", for: 60, at: later, in: database))
            #expect(try await database.read { try !UsedAssertion.isNoted(SecretHash(of: "a"), in: $0) })
            #expect(try await database.read { try UsedAssertion.isNoted(SecretHash(of: "b"), in: $0) })
        }
    }

    @Test("of many who show it at once, one is the first", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let first = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.note("a", for: 60, in: database) } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(first == 1)
        }
    }
}
