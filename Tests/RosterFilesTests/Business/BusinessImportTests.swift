import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// A business has people and neither pupils nor classes: one file.
@Suite struct BusinessImportTests {
    private static let header = "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username"
    private static let rows = [
        "E-1,100,Ines,,Okafor,ines@acme.example,iokafor", "E-2,101,Paul,,Meyer,,pmeyer", "E-3,102,Rita,J,Sand,,rsand",
    ]

    private static func staff(_ rows: [String], header: String = header) -> RosterTexts {
        [.staff: ([header] + rows).map { "\($0)\n" }.joined()]
    }

    private func acme(in database: any Database) async throws -> District {
        try await District(in: database, name: "Acme", kind: .business, format: "{first_name}.{last_name}@acme.example")
    }

    private static func roles(in district: District) async throws -> [String] {
        try await district.select(
            """
            SELECT p.source_id || ' ' || r.role || ' ' || COALESCE(l.source_id, 'business') || ' ' || r.source
            FROM role_assignment AS r
            JOIN person AS p ON p.id = r.person_id AND p.state <> 'deactivated'
            LEFT JOIN location AS l ON l.id = r.location_id
            ORDER BY 1
            """)
    }

    @Test("people come, change, leave and come back, and each import is taken back", arguments: TestDatabase.available)
    func people(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let acme = try await acme(in: database)
            let first = try await acme.apply(Self.staff(Self.rows))
            #expect(first.outcome == .applied && first.counts.texts == [.staff: "+3 ~0 -0 ^0 =0"])
            #expect(
                try await Self.roles(in: acme) == [
                    "E-1 staff business csv", "E-2 staff business csv", "E-3 staff business csv",
                ])
            #expect(try await acme.person("E-1")?.userName == "ines.okafor@acme.example")
            let exported = try await acme.export()
            #expect(exported == Self.staff(Self.rows.map { "\($0)," }, header: "\(Self.header),location_id"))
            #expect(try await acme.apply(exported).outcome == .nothingToDo)
            #expect(try await acme.apply(Self.staff(Self.rows)).outcome == .nothingToDo)
            let before = try await acme.dump()

            let other = Self.staff([
                Self.rows[0].replacing("ines@", with: "i.okafor@"), Self.rows[1], "E-4,103,New,,Hire,,nhire",
            ])
            let second = try await acme.apply(other)
            #expect(second.outcome == .applied && second.counts.texts == [.staff: "+1 ~1 -1 ^0 =1"])
            #expect(try await acme.person("E-3")?.state == .deactivated)
            let shown = try await acme.plan(Self.staff(Self.rows), show: .init()).listing
            #expect(shown?.people.map(\.effect) == [.changes, .returns, .leaves])

            try await acme.undo()
            let undone = try await acme.dump()
            #expect(Set(before).subtracting(undone) == [])
            #expect(Set(undone).subtracting(before).allSatisfy { $0.contains("|E-4|") && $0.contains("|deactivated|") })
            let id = acme.organization.id
            let history = try await database.read { try AppliedImport.page(of: id, before: .max, limit: 9, in: $0) }
            #expect(history.map { $0.undoneAt != nil } == [true, false])
        }
    }

    @Test("what is too much, or seems to be somebody else, is held", arguments: TestDatabase.available)
    func held(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let acme = try await acme(in: database)
            try await acme.apply(Self.staff(Self.rows))
            let fewer = try await acme.apply(Self.staff([Self.rows[0]]))
            #expect(fewer.held.map(\.rule) == [.removed] && fewer.held.map(\.type) == [.staff])
            #expect(try await acme.apply(Self.staff([])).held.map(\.rule) == [.empty])
            let taken = Self.staff(Array(Self.rows.dropLast()) + ["E-3,900,Emil,,Weber,,eweber"])
            #expect(try await acme.apply(taken).held.map(\.rule) == [.replaced])
            #expect(try await acme.apply(taken, newPeople: ["E-3"]).outcome == .applied)
            let approved = try await acme.apply(Self.staff([Self.rows[0]]))
            #expect(try await acme.apply(Self.staff([Self.rows[0]]), approval: approved.planID).outcome == .applied)
        }
    }

    @Test("an Administrator stays one, and who was made by hand stays", arguments: TestDatabase.available)
    func byHand(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let acme = try await acme(in: database)
            let (id, now) = (acme.organization.id, acme.now)
            try await database.write { transaction in
                let head = try Person.insert(
                    in: id, sourceID: "E-1", givenName: "Ines", familyName: "Okafor", userName: "ines", at: now,
                    in: transaction)
                try RoleAssignment(.administrator, at: nil).insert(for: head.id, of: id, at: now, in: transaction)
                _ = try Person.insert(
                    in: id, givenName: "Hand", familyName: "Made", userName: "hand", at: now, in: transaction)
            }
            let report = try await acme.apply(Self.staff(Self.rows))
            #expect(report.found == ["staff.csv:2 person_id record_taken_over"])
            #expect(
                try await Self.roles(in: acme).prefix(2) == [
                    "E-1 administrator business manual", "E-1 staff business csv",
                ])
            #expect(
                try await acme.force(Self.staff(Array(Self.rows.dropFirst()))).warnings.map(\.example.code) == [
                    .lastAdministrator
                ])
            #expect(
                try await acme.select("SELECT state FROM person WHERE user_name IN ('ines', 'hand')") == ["new", "new"])
        }
    }

    @Test("a cell can name a location that was made by hand", arguments: TestDatabase.available)
    func places(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let acme = try await acme(in: database)
            let (id, now) = (acme.organization.id, acme.now)
            try await database.write { transaction in
                for place in ["berlin", "oslo"] {
                    _ = try Location.insert(in: id, sourceID: place, name: "Office", at: now, in: transaction)
                }
            }
            let header = "\(Self.header),location_id,location_id_2"
            let places = [",berlin,oslo", ",,", ",oslo,"]
            let files = Self.staff(zip(Self.rows, places).map { $0 + $1 }, header: header)
            #expect(try await acme.apply(files).outcome == .applied)
            #expect(
                try await Self.roles(in: acme) == [
                    "E-1 staff berlin csv", "E-1 staff oslo csv", "E-2 staff business csv", "E-3 staff oslo csv",
                ])
            #expect(try await acme.select("SELECT source FROM location") == ["manual", "manual"])
            let before = try await acme.dump()
            #expect(try await acme.apply(try await acme.export()).outcome == .nothingToDo)
            let moved = try await acme.apply(Self.staff(Self.rows))
            #expect(moved.counts.staff.text == "+0 ~2 -0 ^0 =1")
            #expect(try await Self.roles(in: acme).allSatisfy { $0.hasSuffix("staff business csv") })
            try await acme.undo()
            #expect(try await acme.dump() == before)

            let unknown = try await acme.apply(
                files.replacing("pmeyer,,", with: "pmeyer,paris,", in: .staff))
            #expect(unknown.found == ["staff.csv:3 location_id unknown_reference"])
            #expect(unknown.defects.first?.message == "The business has no location with this id, or has removed it.")
        }
    }

    @Test(
        "no file brings a removed location back, and none that is exported names it", arguments: TestDatabase.available)
    func removedPlaces(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let acme = try await acme(in: database)
            let (id, now) = (acme.organization.id, acme.now)
            let oslo = try await database.write { transaction in
                _ = try Location.insert(in: id, sourceID: "berlin", name: "Berlin", at: now, in: transaction)
                return try Location.insert(in: id, sourceID: "oslo", name: "Oslo", at: now, in: transaction)
            }
            let header = "\(Self.header),location_id,location_id_2"
            func files(_ places: [String]) -> RosterTexts {
                Self.staff(zip(Self.rows, places).map { $0 + $1 }, header: header)
            }
            let first = files([",berlin,oslo", ",,", ",oslo,"])
            try await acme.apply(first)
            // Two people leave by hand, which keeps their roles, and what nobody holds any more is removed.
            let leaving = [try #require(try await acme.person("E-1")), try #require(try await acme.person("E-3"))]
            try await database.write { transaction in
                for person in leaving { _ = try person.deactivate(at: now, in: transaction) }
                let use = try oslo.use(at: now, in: transaction)
                #expect(use.isEmpty)
                try oslo.archive(at: now, in: transaction)
            }
            let before = try await acme.dump()
            let refused = try await acme.apply(first)
            #expect(
                refused.found == [
                    "staff.csv:2 location_id unknown_reference", "staff.csv:2 person_id deactivated_by_hand",
                    "staff.csv:4 location_id unknown_reference", "staff.csv:4 person_id deactivated_by_hand",
                ])
            #expect(try await acme.dump() == before)

            let exported = try await acme.export()
            #expect(exported[.staff]?.contains("oslo") == false)
            // The files say where people are, so the role of E-1 at the removed location ends with them. Of the one who is left
            // that is a change too many to go without approval.
            let held = try await acme.apply(exported)
            #expect(held.counts.texts == [.staff: "+0 ~1 -0 ^0 =1"] && held.outcome == .held, "\(exported)")
            #expect(try await acme.apply(exported, approval: held.planID).outcome == .applied)
            #expect(try await acme.apply(exported).outcome == .nothingToDo)
            #expect(try await acme.select("SELECT source_id FROM location WHERE archived_at IS NOT NULL") == ["oslo"])
        }
    }

    @Test(
        "the file comes by itself, in a folder or in an archive", arguments: ["staff.csv", "Our people.CSV", "a.zip"])
    func sources(_ name: String) async throws {
        try await TestDatabase.sqlite.with { database in
            let acme = try await acme(in: database)
            let id = acme.organization.id
            let text = Array((Self.staff(Self.rows)[.staff] ?? "").utf8)
            var zip = ZipBytes()
            zip.add("staff.csv", text)
            let bytes = name.hasSuffix(".zip") ? zip.bytes : text
            let report = try await ([:] as RosterTexts).onDisk { folder in
                try Data(bytes).write(to: URL(filePath: folder).appending(path: name))
                return try await acme.importer.run(
                    organization: id, from: "\(folder)/\(name)", mode: .apply(approval: nil), actor: .operator,
                    origin: .commandLine)
            }
            #expect(report.outcome == .applied && report.counts.staff.added == 3)
            #expect(try await acme.apply(Self.staff(Self.rows)).outcome == .nothingToDo)
        }
    }

    @Test("files of a school are not a business's, nor the other way round", arguments: TestDatabase.available)
    func others(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let acme = try await acme(in: database)
            await #expect(throws: RosterImportError.notASchool("Acme")) { try await acme.apply(.example) }
            let pupils = Self.staff(Self.rows).merging([.students: RosterTexts.example[.students]!]) { one, _ in one }
            await #expect(throws: RosterImportError.notASchool("Acme")) { try await acme.apply(pupils) }
            #expect(try await acme.apply([:]).found == ["staff.csv:- - missing_file"])
            let cut = Self.staff(Self.rows).replacing("first_name,", with: "", in: .staff)
            #expect(try await acme.apply(cut).found == ["staff.csv:1 first_name missing_column"])
            #expect(try await acme.select("SELECT source_id FROM person") == [])

            let location = try await database.write {
                try Location.insert(
                    in: acme.organization.id, sourceID: "berlin", name: "Office", at: acme.now, in: $0
                ).id
            }
            let id = acme.organization.id
            _ = try await Self.staff(Self.rows).onDisk { path in
                await #expect(throws: RosterImportError.noSchools("Acme")) {
                    try await acme.importer.run(
                        organization: id, from: path, mode: .planOnly(), schools: [location], actor: .operator,
                        origin: .commandLine)
                }
            }

            let school = try await District(in: database)
            let missing = ["locations", "students", "courses", "classes", "rosters"].map {
                "\($0).csv:- - missing_file"
            }
            let schoolsStaff: RosterTexts = [.staff: RosterTexts.example[.staff]!]
            let (folder, file) = try await schoolsStaff.onDisk { path in
                func run(_ path: String) async throws -> [String] {
                    try await school.importer.run(
                        organization: school.organization.id, from: path, mode: .planOnly(), actor: .operator,
                        origin: .commandLine
                    ).found
                }
                return (try await run(path), try await run("\(path)/staff.csv"))
            }
            #expect(folder == missing && file == missing)
        }
    }
}
