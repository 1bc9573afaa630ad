import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct BulkLimitTests {
    @Test(
        "too many items, and none, are refused before anything is looked up or begun", arguments: TestDatabase.available
    )
    func counted(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await scene.holder(of: .administrator, at: nil)
            let administrator = scene.administrator(.person(head.id))
            let refusal = OperationError.invalid(field: "items", reason: "are none, or more than 10000")
            let item = IssuePassword(person: PersonReference(scene.pupil.id))
            let before = try await scene.state()
            for items in [[], [IssuePassword](repeating: item, count: 10_001)] {
                let change = Bulk(items: items, mode: .each)
                await #expect(throws: refusal) { try await administrator.begin(change) }
                await #expect(throws: refusal) { try await administrator.preview(change) }
                await #expect(throws: refusal) { try await administrator.perform(change) }
            }
            #expect(try await administrator.jobs(of: Bulk<IssuePassword>.self).isEmpty)
            #expect(try await scene.state() == before)
        }
    }

    @Test("a job that has failed is listed with the reason for as long as others with their answers")
    func failed() async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try await scene.holder(of: .administrator, at: nil)
            let administrator = scene.administrator(.person(head.id))
            let choir = ClassReference(try await scene.school.insertClass("Choir"))
            let job = try await administrator.begin(IssuePasswords(class: choir), in: scene.maple)
            _ = try await scene.operator.perform(ArchiveClass(class: choir), in: scene.maple)
            try await JobWorker(database: scene.database, services: scene.services).work()
            func jobs() async throws -> [JobRecord] {
                try await administrator.jobs(of: IssuePasswords.self, in: scene.maple)
            }
            let listed = try await jobs()
            #expect(listed.map(\.job) == [job] && listed.map(\.state) == [.failed])
            #expect(
                listed.first?.failure?.detail.contains("has no class") == true, "\(String(describing: listed.first))")
            scene.school.fixed.advance(by: 3_599)
            #expect(try await jobs().count == 1)
            scene.school.fixed.advance(by: 1)
            #expect(try await jobs().isEmpty)
        }
    }
}
