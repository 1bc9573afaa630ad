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
}
