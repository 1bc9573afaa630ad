import Administration
import Directory
import Fixtures
import Storage

extension Example {
    package static let idMaps: [Example] = [
        .change({ _ in map }, after: giveID),
        .change { _ in GuessIDMap(archive: archive) },
        .changeInScene({ UndoIDMap(map: try await newest($1)) }) { scene, person in
            try await giveID(scene, person)
            _ = try await scene.operator.perform(map, in: scene.maple)
        },
    ]

    // It cannot fail: the texts of the files are constants of this test, and no file is read.
    private static let archive = try! RosterTexts().archive()

    private static let map = ApplyIDMap(moves: [IDMove(.person, from: "S-1001", to: "7001")])

    private static let giveID: Prepare = { scene, person in
        try await scene.database.write {
            _ = try $0.execute("UPDATE person SET source_id = 'S-1001' WHERE id = $1", [person.id])
        }
    }

    private static func newest(_ scene: Scene) async throws -> IDMapReference {
        IDMapReference(
            try await scene.database.read { try $0.first("SELECT MAX(id) FROM id_map") { try $0[0] as Int64 } } ?? 0)
    }
}
