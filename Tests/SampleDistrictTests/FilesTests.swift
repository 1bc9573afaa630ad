import SampleDistrict
import Testing

@Suite struct FilesTests {
    @Test("the six files are named as an import expects them")
    func names() {
        #expect(
            SampleDistrict.File.allCases.map(\.name)
                == ["locations.csv", "students.csv", "staff.csv", "courses.csv", "classes.csv", "rosters.csv"]
        )
    }

    @Test(
        "each file starts with its header row",
        arguments: [
            (SampleDistrict.File.locations, "location_id,location_name"),
            (
                .students,
                "person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,"
                    + "sis_username,password_policy,location_id_2"
            ),
            (
                .staff,
                "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id,"
                    + "location_id_2"
            ),
            (.courses, "course_id,course_number,course_name,location_id"),
            (
                .classes,
                "class_id,class_number,course_id,instructor_id,instructor_id_2,instructor_id_3,location_id,"
                    + "class_display_name"
            ),
            (.rosters, "roster_id,class_id,student_id"),
        ]
    )
    func headers(_ file: SampleDistrict.File, header: String) {
        let firstLine = SampleDistrict.maple.contents(of: file).prefix { $0 != UInt8(ascii: "\n") }
        #expect(String(decoding: firstLine, as: UTF8.self) == header)
    }

    @Test("cells are quoted if they hold a space or comma, and only then", arguments: SampleDistrict.File.allCases)
    func quoting(_ file: SampleDistrict.File) throws {
        for cell in try SampleDistrict.maple.table(file).rawRows.joined() {
            let isQuoted = cell.hasPrefix("\"") && cell.hasSuffix("\"") && cell.count >= 2
            #expect(isQuoted == cell.contains { $0 == " " || $0 == "," }, "\(cell)")
        }
    }

    @Test("Maple District has values with spaces, commas and quotes")
    func awkwardValues() throws {
        let names = try SampleDistrict.maple.table(.students).values("middle_name")
        let displayNames = try SampleDistrict.maple.table(.classes).values("class_display_name")
        let raw = String(decoding: SampleDistrict.maple.contents(of: .classes), as: UTF8.self)

        #expect(names.contains { $0.hasSuffix(" \"Mack\"") })
        #expect(displayNames.contains("Room 12, East Wing"))
        #expect(displayNames.contains("The \"Early Birds\""))
        #expect(raw.contains(#","The \"Early Birds\"""#))
    }

    @Test("chunks end with a row and add up to the file")
    func chunks() {
        var sizes: [Int] = []
        var joined: [UInt8] = []
        SampleDistrict.maple.write(.rosters) { chunk in
            #expect(chunk.last == UInt8(ascii: "\n"))
            sizes.append(chunk.count)
            joined += chunk
        }

        #expect(sizes.count > 3)
        #expect(sizes.allSatisfy { $0 < 70_000 })
        #expect(joined == SampleDistrict.maple.contents(of: .rosters))
    }

    @Test("an error of the sink ends the writing")
    func sinkFails() {
        struct DiskFull: Error {}
        var calls = 0
        #expect(throws: DiskFull.self) {
            try SampleDistrict.maple.write(.rosters) { _ throws(DiskFull) in
                calls += 1
                throw DiskFull()
            }
        }
        #expect(calls == 1)
    }
}
