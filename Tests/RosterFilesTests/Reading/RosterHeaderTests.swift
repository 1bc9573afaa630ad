import Testing

@testable import RosterFiles

@Suite struct RosterHeaderTests {
    @Test("columns are matched by name in any order")
    func matchesInAnyOrder() throws {
        let reading = try Reading("location_name,location_id\nOne,A-1\n", as: .locations)
        #expect(reading.found == [])
        #expect(reading.rows == [["2", "A-1", "One"]])
    }

    @Test(
        "a defect of the header is named by column and code",
        arguments: [
            ("location_id,name\n", ["1 location_name missing_column", "1 name unknown_column"]),
            ("location_id,Location Name\n", ["1 location_name missing_column"]),
            ("location_id\n", ["1 location_name missing_column"]),
            ("location_id,location_name,location_id\n", ["1 location_id duplicate_column"]),
            ("location_id,location_name,colour\n", ["1 colour unknown_column"]),
            ("location_id,location_name,location_id_2\n", ["1 location_id_2 unknown_column"]),
            ("A-1,One\nA-2,Two\n", ["1 - wrong_header"]),
            ("\n\nA-1,One\n", ["3 - wrong_header"]),
            ("location_id\tlocation_name\n", ["1 - wrong_separator"]),
            ("location_id,location_name;colour\n", ["1 - wrong_separator"]),
            ("location_id, location_name\n", ["1 - space_after_separator"]),
            ("“location_id”,“location_name”\n", ["1 - curly_quotes", "1 - curly_quotes", "1 - wrong_header"]),
            ("\"location_id,location_name\nA-1,One\n", ["1 - wrong_header"]),
            ("", ["- - empty_file"]), ("\n\n", ["- - empty_file"]),
        ])
    func namesDefect(text: String, expected: [String]) throws {
        let reading = try Reading(text, as: .locations)
        #expect(reading.found == expected)
    }

    @Test("a missing column names the misspelt one that was probably meant")
    func suggestsSpelling() throws {
        let reading = try Reading(
            "person_id,Location-ID,first_name,lastname\(Self.optional)\nS-1,A-1,Ana,Ruiz,,,,,,\n", as: .students)
        #expect(reading.log.kept.map(\.column) == ["location_id", "last_name"])
        #expect(reading.log.kept.map(\.value) == ["Location-ID", "lastname"])
        #expect(reading.log.kept[1].remedy == "Rename the column lastname to last_name.")
        #expect(reading.rows == [])
        #expect(reading.summary.isIncomplete)
    }

    /// The columns of students.csv whose cells may be blank.
    static let optional = ",middle_name,person_number,grade_level,email_address,sis_username,password_policy"

    @Test("an optional column may be blank, but not absent or misspelt: that would empty the field for everybody")
    func refusesMissingOptionalColumn() throws {
        let header = "person_id,location_id,first_name,last_name\(Self.optional)"
        let absent = try Reading(header.replacing(",grade_level", with: "") + "\n", as: .students)
        let misspelt = try Reading(header.replacing("email_address", with: "email") + "\n", as: .students)
        #expect(try Reading(header + "\n", as: .students).found == [])
        #expect(absent.found == ["1 grade_level missing_column"])
        let remedy = "Add the column grade_level, spelt exactly so; its cells may be blank."
        #expect(absent.log.kept.first?.remedy == remedy)
        #expect(misspelt.found == ["1 email_address missing_column"])
    }

    @Test("class_display_name is the one column that a file may lack")
    func acceptsWithoutDisplayName() throws {
        let header = "class_id,class_number,course_id,instructor_id,location_id"
        let without = try Reading(header + "\n", as: .classes)
        let with = try Reading(header + ",class_display_name\n", as: .classes)
        #expect(without.found == [])
        #expect(!without.summary.hasDisplayNames)
        #expect(with.summary.hasDisplayNames)
    }

    @Test(
        "further columns are read up to the number that the template allows", arguments: [(999, true), (1_000, false)])
    func readsSeries(last: Int, isKnown: Bool) throws {
        let log = DefectLog()
        let text = """
            person_id,location_id_\(last),location_id,first_name,last_name,location_id_2\(Self.optional)
            S-1,A-3,A-1,Ana,Ruiz,A-2,,,,,,
            S-2,,A-1,Wen,Lis,,,,,,,

            """
        var locations: [[String]] = []
        var reader = RosterFileReader(.students, from: MemoryStream(text.utf8), defects: log)
        _ = try reader.forEachRow { row in
            var values: [String] = []
            row.forEachValue(of: .locationID) { values.append(String(decoding: $0, as: UTF8.self)) }
            locations.append(values)
        }
        #expect(locations == (isKnown ? [["A-1", "A-2", "A-3"], ["A-1"]] : []))
        #expect(log.kept.map(\.code) == (isKnown ? [] : [.misspeltColumn]))
    }

    @Test(
        "a name that looks like a further column is an error: ignoring it would take people out of classes",
        arguments: [
            "instructor_id_16", "instructor_id_1", "instructor_id_0", "instructor_id_02", "instructor_id_x",
            "instructor_id_+3", "instructor_id_", "instructor_id2", "Instructor_ID_2", "instructor2", "instructor-id-2",
        ])
    func refusesOddSeries(name: String) throws {
        let reading = try Reading(
            "class_id,class_number,course_id,instructor_id,location_id,\(name)\n", as: .classes)
        #expect(reading.found == ["1 \(name) misspelt_column"])
    }

    @Test("other further columns are ignored", arguments: ["location", "location_name", "locker_2", "teacher_name"])
    func acceptsOtherColumns(name: String) throws {
        let header = "person_id,location_id,first_name,last_name\(Self.optional),\(name)"
        #expect(try Reading(header + "\n", as: .students).found == ["1 \(name) unknown_column"])
    }

    @Test("a column without a name is ignored, and called by its number")
    func namelessColumn() throws {
        let reading = try Reading(",location_id,location_name\n1,A-1,One\n", as: .locations)
        #expect(reading.found == ["1 - unknown_column"])
        #expect(reading.log.kept[0].message == "Column 1 of the header has no name; it is ignored.")
        #expect(reading.rows == [["2", "A-1", "One"]])
    }

    @Test("a further column is checked like the first")
    func checksSeries() throws {
        let reading = try Reading(
            "class_id,class_number,course_id,location_id,instructor_id_15\nK-1,1,C-1,A-1,T:1\n", as: .classes)
        #expect(reading.found == ["2 instructor_id_15 invalid_identifier"])
    }
}
