import Administration
import Directory
import Fixtures
import Storage

extension Example {
    static let idMaps: [Example] = [
        Example(
            name: ApplyIDMap.name, prepare: giveID,
            perform: { administrator, _, _ in try await administrator.perform(map).effects },
            preview: { administrator, _, _ in try await administrator.preview(map) }),
        .change { _ in GuessIDMap(archive: archive) },
        Example(
            name: UndoIDMap.name,
            prepare: { scene, person in
                try await giveID(scene, person)
                _ = try await scene.operator.perform(map, in: scene.maple)
            },
            perform: { try await $0.perform(UndoIDMap(map: try await newest($2))).effects },
            preview: { try await $0.preview(UndoIDMap(map: try await newest($2))) }),
    ]

    // The files are written by this test.
    private static let archive = try! RosterTexts().archive()

    private static let map = ApplyIDMap(moves: [IDMove(.person, from: "S-1001", to: "7001")])

    private static let giveID: @Sendable (Scene, Person) async throws -> Void = { scene, person in
        try await scene.database.write {
            _ = try $0.execute("UPDATE person SET source_id = 'S-1001' WHERE id = $1", [person.id])
        }
    }

    private static func newest(_ scene: Scene) async throws -> IDMapReference {
        IDMapReference(
            try await scene.database.read { try $0.first("SELECT MAX(id) FROM id_map") { try $0[0] as Int64 } } ?? 0)
    }
}
