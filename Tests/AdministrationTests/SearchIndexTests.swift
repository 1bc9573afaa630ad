import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct SearchIndexTests {
    @Test("no operation leaves a search that finds less or more than there is", arguments: Example.all)
    func afterEach(_ example: Example) async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try await scene.holder(of: .administrator, at: nil)
            _ = try await scene.school.insertClass("Choir", students: [scene.pupil])
            try await example.prepare(scene, scene.pupil)
            // What changes is in the index as it was before.
            try await SearchIndexes.bringUpToDate(in: scene.database)
            _ = try? await example.perform(scene.administrator(.person(head.id)), scene.pupil, scene)
            #expect(try await SearchIndexCheck.differences(in: scene.database) == [])
        }
    }
}
