import Directory
import Testing

@testable import RosterFiles

@Suite struct IDMapFileTests {
    private static func read(_ text: String) throws -> IDMapFile {
        try IDMapFile(reading: MemoryStream(Array(text.utf8)))
    }

    private static func problems(_ text: String) -> [IDMapFile.Problem] {
        do {
            _ = try read(text)
            return []
        } catch let error as IDMapFile.Problems {
            return error.problems
        } catch {
            return [IDMapFile.Problem(line: 0, message: "\(error)")]
        }
    }

    @Test("columns may stand in any order and have others beside them; rows without a new id move nothing")
    func reads() throws {
        let map = try Self.read(
            """
            \u{FEFF}Name;NEW_ID;type;old_id
            Noor;7001;person;S-1001
            "Ana; María";;person;S-1002

            Chœur;'@choir;class;'-1
            """)
        #expect(
            map.rows == [
                .init(line: 2, move: IDMove(.person, from: "S-1001", to: "7001")),
                .init(line: 5, move: IDMove(.class, from: "-1", to: "@choir")),
            ])
        #expect(map.withoutNewID == 1)
    }

    @Test("everything that is wrong is named with its line")
    func defects() {
        let found = Self.problems(
            """
            type,old_id,new_id
            pupil,S-1,1
            person,,2
            person,S-3,3
            person,"S-4,4
            """)
        #expect(found.map(\.line) == [2, 3, 5])
        #expect(found.first?.message == "The type “pupil” is none of these: location, person, course, class.")
    }

    @Test(
        "a file that is no map is refused",
        arguments: [
            "", "\n\n", "old_id,new_id\nS-1,1\n", "type,old_id,new_id,new_id\nperson,S-1,1,2\n",
            "type,old_id,new_id\nperson,S-1,\n", "type,old_id,new_id\n",
        ])
    func noMap(_ text: String) {
        #expect(Self.problems(text).map(\.line) == [1])
    }

    @Test("text that is not UTF-8 is refused, with its line")
    func encoding() {
        let bytes = Array("type,old_id,new_id\nperson,S-1,".utf8) + [0xE9, 0x0A]
        #expect(throws: IDMapFile.Problems.self) { _ = try IDMapFile(reading: MemoryStream(bytes)) }
        let wide = Array("type,old_id,new_id\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(throws: IDMapFile.Problems.self) { _ = try IDMapFile(reading: MemoryStream(wide)) }
    }
}
