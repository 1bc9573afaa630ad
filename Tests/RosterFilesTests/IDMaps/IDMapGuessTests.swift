import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct IDMapGuessTests {
    /// The example set as a new system writes it: other ids, and not all fields.
    private static let newSystem: RosterTexts = [
        .locations: """
        location_id,location_name
        100,"Birch Lane Primary"
        200,"HARBOUR SECONDARY"

        """,
        .students: """
        person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,sis_username,\
        password_policy,location_id_2
        7001,100,Noor,Haddad,,40017,1,,,4,
        7002,100,"Ana María",Ruiz,,,1,,,4,
        7003,200,Tomasz,Lis,,40230,8,tomasz.lis@birch.example,,6,
        7004,200,Wen,"van den Berg",,99999,11,,,8,
        7005,100,Somebody,New,,,1,,,4,

        """,
        .staff: """
        person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id,location_id_2
        8001,,Ines,,Okafor,INES.okafor@birch.example,,100,
        8002,,Paul,,Meyer,,,200,
        =8003,90009,Rita,,Sand-Lopez,,,100,

        """.replacing("=8003", with: "-8003"),
        .courses: """
        course_id,course_number,course_name,location_id
        q1,101,"Reading 1",100
        q2,808,"Biology 8",200

        """,
        .classes: """
        class_id,class_number,course_id,instructor_id,instructor_id_2,instructor_id_3,location_id
        k1,A,q1,8001,,,100
        k2,1,q2,8002,,,200

        """,
        .rosters: """
        roster_id,class_id,student_id
        1,k1,7001

        """,
    ]

    private static func guess(
        _ files: RosterTexts, in district: District, of schools: [LocationID] = [],
        _ body: (IDMapGuess, String) async throws -> Void
    ) async throws {
        try await files.onDisk { path in
            let map = "\(path)-map.csv"
            defer { try? FileManager.default.removeItem(atPath: map) }
            let guess = try await IDMapGuesser(database: district.database, surroundings: district.surroundings)
                .guess(
                    organization: district.organization.id, from: path, to: map, schools: schools, actor: .operator,
                    origin: .commandLine)
            try await body(guess, map)
        }
    }

    @Test(
        "what is beyond doubt gets its new id, and what is not stands there with candidates",
        arguments: TestDatabase.available)
    func guesses(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            try await Self.guess(Self.newSystem, in: district) { guess, path in
                let map = try IDMapFile(at: path)
                let moves = Dictionary(uniqueKeysWithValues: map.rows.map { ($0.move.old, $0.move.new) })
                #expect(
                    moves == [
                        "LOC-10": "100", "LOC-20": "200", "C-READ1": "q1", "C-BIO8": "q2", "K-READ1-A": "k1",
                        "K-BIO8-1": "k2", "S-1001": "7001", "S-1002": "7002", "S-2001": "7003", "T-0007": "8001",
                        "T-0009": "-8003",
                    ])
                // Another number, and a name alone.
                #expect(guess.sure == 11 && guess.unsure == 2 && guess.unmatched == 0)
                #expect(map.withoutNewID == 2)
                let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                let wen = #""Wen van den Berg",7004,"Wen van den Berg","same name, grade, place; other number""#
                #expect(lines[1] == "person,S-2002,,unsure,\(wen)")
                #expect(lines[2].hasPrefix("person,T-0008,,unsure,"))
                #expect(try await district.dump() == before)
                // It can be applied as it is, and with what somebody has filled in.
                let plan = try await database.read {
                    try IDMovePlan(map.rows.map(\.move), of: district.organization.id, in: $0)
                }
                #expect(plan.problems == [:])
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let trail = try await district.select("SELECT detail FROM audit_entry WHERE action = 'roster.exported'")
                #expect(trail == ["id map with 13 records"])
            }
        }
    }

    @Test("a school's new system is compared with the records of that school alone", arguments: TestDatabase.available)
    func ofSchool(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            func olds(_ schools: [LocationID]) async throws -> Set<String> {
                var olds: Set<String> = []
                try await Self.guess(Self.newSystem, in: district, of: schools) { _, map in
                    // With those that nobody has decided yet.
                    let lines = try String(contentsOfFile: map, encoding: .utf8).split(separator: "\n").dropFirst()
                    olds = Set(lines.map { String($0.split(separator: ",")[1]) })
                }
                return olds
            }
            let organization = district.organization.id
            let primary = try #require(
                try await database.read { try Location.find(sourceID: "LOC-10", in: organization, $0) })
            let whole = try await olds([])
            let part = try await olds([primary.id])
            #expect(part.isSuperset(of: ["LOC-10", "C-READ1", "K-READ1-A", "S-1001", "S-1002", "T-0007"]))
            #expect(part.isDisjoint(with: ["LOC-20", "C-BIO8", "K-BIO8-1", "S-2001", "T-0008"]))
            #expect(part.isSubset(of: whole))
            await #expect(throws: RosterImportError.self) { try await olds([LocationID(rawValue: 99)]) }
        }
    }

    @Test("two of one name in one class are never sure, unless a number tells them apart")
    func namesakes() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(
                .example.adding("S-1003,LOC-10,\"Ana María\",Ruiz,,40099,1,,,4,", to: .students))
            try await Self.guess(Self.newSystem, in: district) { guess, path in
                let moves = try IDMapFile(at: path).rows.map(\.move)
                #expect(!moves.contains { ["S-1002", "S-1003"].contains($0.old) })
                #expect(guess.unsure == 4)
            }
            let numbered = Self.newSystem.replacing(
                #"7002,100,"Ana María",Ruiz,,,"#, with: #"7002,100,"Ana María",Ruiz,,40099,"#, in: .students)
            try await Self.guess(numbered, in: district) { _, path in
                let moves = try IDMapFile(at: path).rows.map(\.move)
                #expect(moves.contains(IDMove(.person, from: "S-1003", to: "7002")))
                #expect(!moves.contains { $0.old == "S-1002" })
            }
        }
    }

    @Test("records that the new files name by the same id are left out, and who left before is nobody's")
    func leftOut() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.execute("UPDATE person SET state = 'deactivated' WHERE source_id = 'S-1001'")
            let files = Self.newSystem.replacing("7003,", with: "S-2001,", in: .students)
            try await Self.guess(files, in: district) { _, path in
                let moves = try IDMapFile(at: path).rows.map(\.move)
                #expect(!moves.contains { ["S-1001", "S-2001"].contains($0.old) || $0.new == "7001" })
            }
        }
    }

    @Test("files with errors give no map")
    func defects() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let files = Self.newSystem.replacing("person_id", with: "who", in: .students)
            try await Self.guess(files, in: district) { guess, path in
                #expect(guess.hasErrors)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }
}
