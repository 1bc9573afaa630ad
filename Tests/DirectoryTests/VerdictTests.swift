import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct VerdictTests {
    private enum Refusal: Error, Equatable { case tooLate }
    private struct Broken: Error {}

    /// Writes a name, ends as `verdict` says, and returns what it said and whether the name is still there.
    private func run(
        _ kind: TestDatabase, _ verdict: @escaping @Sendable () throws -> Verdict<Int, Refusal>
    ) async throws -> (answer: Result<Int, any Error>, isKept: Bool) {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            let answer: Result<Int, any Error>
            do {
                answer = .success(
                    try await database.decide { transaction in
                        try transaction.execute(
                            "UPDATE organization SET name = 'changed' WHERE id = $1", [organization])
                        return try verdict()
                    })
            } catch {
                answer = .failure(error)
            }
            let name = try await database.read { try Organization.find(organization, in: $0)?.name }
            return (answer, name == "changed")
        }
    }

    @Test("a value is returned, and what was written stays", arguments: TestDatabase.available)
    func commit(_ kind: TestDatabase) async throws {
        let (answer, isKept) = try await run(kind) { .commit(7) }
        #expect(try answer.get() == 7)
        #expect(isKept)
    }

    @Test("a refusal that commits is thrown, and what was written stays", arguments: TestDatabase.available)
    func commitRefusal(_ kind: TestDatabase) async throws {
        let (answer, isKept) = try await run(kind) { .commitRefusal(.tooLate) }
        #expect(throws: Refusal.tooLate) { try answer.get() }
        #expect(isKept)
    }

    @Test("a refusal that rolls back is thrown, and nothing stays", arguments: TestDatabase.available)
    func rollBack(_ kind: TestDatabase) async throws {
        let (answer, isKept) = try await run(kind) { .rollBack(.tooLate) }
        #expect(throws: Refusal.tooLate) { try answer.get() }
        #expect(!isKept)
    }

    @Test("after an error nothing stays", arguments: TestDatabase.available)
    func error(_ kind: TestDatabase) async throws {
        let (answer, isKept) = try await run(kind) { throw Broken() }
        #expect(throws: Broken.self) { try answer.get() }
        #expect(!isKept)
    }
}
