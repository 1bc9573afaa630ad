import Fixtures
import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct SearchLimitTests {
    /// Searches each kind of record, by the index and by reading all.
    private static func search(_ text: String, in database: any Database, _ organization: OrganizationID) async throws {
        for readAllMax in [0, 1_000] {
            try await database.read { transaction in
                _ = try Person.page(
                    of: organization, matching: PersonFilter(text: text), limit: 10, readingAllUpTo: readAllMax,
                    in: transaction)
                var filter = ManagedClass.Filter()
                filter.text = text
                _ = try ManagedClass.page(
                    of: organization, matching: filter, after: .none, limit: 10, readingAllUpTo: readAllMax,
                    in: transaction)
                _ = try Location.page(
                    of: organization, matching: text, limit: 10, readingAllUpTo: readAllMax, in: transaction)
            }
        }
    }

    @Test(
        "as many words and as long a word as a search takes are looked for, in whatever script",
        arguments: TestDatabase.available)
    func most(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            _ = try await school.insertPerson("Nadia", .student)
            _ = try await school.insertClass("Choir")
            let organization = school.organization.id
            let many = (1...SearchLimit.wordsMax).map { "word\($0)" }.joined(separator: " ")
            // One letter of three bytes that stands for eighteen.
            let ligature = String(repeating: "\u{FDFA}", count: SearchLimit.bytesMax / 3)
            for text in [
                many, String(repeating: "x", count: SearchLimit.bytesMax), ligature,
                String(repeating: "李", count: SearchLimit.bytesMax / 3), String(repeating: "%", count: 1_000),
            ] {
                try await Self.search(text, in: database, organization)
            }
        }
    }

    @Test("more is refused for each kind of record, and said how much it is", arguments: TestDatabase.available)
    func tooMuch(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let organization = try await School.insert(in: database).organization.id
            let many = (1...17).map { "a\($0)" }.joined(separator: " ")
            let long = String(repeating: "\u{FDFA}", count: 1_800)
            for (text, reason) in [
                (many, "has more than 16 words"),
                // A lone diaeresis stands for a space with a diaeresis upon it.
                (many.replacing(" ", with: "\u{A8}"), "has more than 16 words"),
                (long, "has 5400 bytes; a search takes 1024 at most"),
            ] {
                let expected = DirectoryError.invalidField(field: "text", reason: reason)
                let searches: [@Sendable (ReadTransaction) throws -> Void] = [
                    {
                        _ = try Person.page(of: organization, matching: PersonFilter(text: text), limit: 10, in: $0)
                    },
                    {
                        var filter = ManagedClass.Filter()
                        filter.text = text
                        _ = try ManagedClass.page(of: organization, matching: filter, after: .none, limit: 10, in: $0)
                    },
                    { _ = try Location.page(of: organization, matching: text, limit: 10, in: $0) },
                ]
                for search in searches {
                    await #expect(throws: expected) { try await database.read { try search($0) } }
                }
            }
        }
    }
}
