import SampleDistrict
import Testing

@Suite struct ConsistencyTests {
    static let districts = [SampleDistrict.maple, .uneven, .oak]

    @Test("identifiers are unique, and made of letters, digits and hyphens", arguments: districts)
    func identifiers(_ district: SampleDistrict) throws {
        let keys = [
            try district.table(.locations).values("location_id"),
            try district.table(.students).values("person_id") + district.table(.staff).values("person_id"),
            try district.table(.courses).values("course_id"),
            try district.table(.classes).values("class_id"),
            try district.table(.rosters).values("roster_id"),
        ]
        for key in keys {
            #expect(Set(key).count == key.count)
            #expect(key.joined().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        }
    }

    @Test("e-mail addresses, user names and person numbers are unique", arguments: districts)
    func uniqueValues(_ district: SampleDistrict) throws {
        for column in ["email_address", "sis_username", "person_number"] {
            let values = try (district.table(.students).values(column) + district.table(.staff).values(column))
                .filter { !$0.isEmpty }
            #expect(Set(values).count == values.count, "\(column)")
        }
    }

    @Test("every e-mail address is ASCII and in the district's domain", arguments: districts)
    func emailAddresses(_ district: SampleDistrict) throws {
        let column = "email_address"
        let addresses = try district.table(.students).values(column) + district.table(.staff).values(column)
        for address in addresses where !address.isEmpty {
            #expect(address.wholeMatch(of: /[a-z]+\.[a-z]+[0-9]*@[a-z.]+/) != nil, "\(address)")
            #expect(address.hasSuffix("@\(district.domain)"))
        }
    }

    @Test("every reference resolves", arguments: districts)
    func references(_ district: SampleDistrict) throws {
        let locations = Set(try district.table(.locations).values("location_id"))
        for file in [SampleDistrict.File.students, .staff, .courses, .classes] {
            #expect(locations.isSuperset(of: try district.table(file).values("location_id")))
        }
        for file in [SampleDistrict.File.students, .staff] {
            let table = try district.table(file)
            let second = try table.values("location_id_2")
            #expect(locations.union([""]).isSuperset(of: second))
            #expect(zip(try table.values("location_id"), second).allSatisfy { $0 != $1 })
        }

        let classes = try district.table(.classes)
        let staff = Set(try district.table(.staff).values("person_id"))
        #expect(Set(try district.table(.courses).values("course_id")).isSuperset(of: try classes.values("course_id")))
        #expect(staff.isSuperset(of: try classes.values("instructor_id")))
        #expect(staff.union([""]).isSuperset(of: try classes.values("instructor_id_2")))
        #expect(staff.union([""]).isSuperset(of: try classes.values("instructor_id_3")))

        let rosters = try district.table(.rosters)
        #expect(Set(try classes.values("class_id")).isSuperset(of: try rosters.values("class_id")))
        #expect(
            Set(try district.table(.students).values("person_id")).isSuperset(of: try rosters.values("student_id"))
        )
    }

    @Test("a class is at its course's school, and so are its instructors and pupils", arguments: districts)
    func locations(_ district: SampleDistrict) throws {
        let courses = Dictionary(grouping: try district.table(.courses).rows()) { $0["course_id"] }
        var schools: [String: [String]] = [:]
        for person in try district.table(.staff).rows() + district.table(.students).rows() {
            schools[person["person_id"]!] = [person["location_id"]!, person["location_id_2"]!]
        }
        var schoolOfClass: [String: String] = [:]
        for row in try district.table(.classes).rows() {
            let school = row["location_id"]!
            schoolOfClass[row["class_id"]!] = school
            #expect(courses[row["course_id"]]?.first?["location_id"] == school)
            for column in ["instructor_id", "instructor_id_2", "instructor_id_3"] where row[column] != "" {
                #expect(schools[row[column]!]!.contains(school))
            }
        }
        for row in try district.table(.rosters).rows() {
            #expect(schools[row["student_id"]!]!.first == schoolOfClass[row["class_id"]!])
        }
    }

    @Test("nobody is in a class twice, as a pupil or as an instructor", arguments: districts)
    func noDoubles(_ district: SampleDistrict) throws {
        let rosters = try district.table(.rosters)
        let pairs = zip(try rosters.values("class_id"), try rosters.values("student_id")).map { "\($0) \($1)" }
        #expect(Set(pairs).count == pairs.count)

        for row in try district.table(.classes).rows() {
            let instructors = ["instructor_id", "instructor_id_2", "instructor_id_3"].map { row[$0]! }
            let named = instructors.filter { !$0.isEmpty }
            #expect(Set(named).count == named.count)
            #expect(instructors.prefix(named.count).elementsEqual(named), "no gap before a named instructor")
        }
    }

    @Test("the counts that a district states are those of its rows", arguments: districts)
    func counts(_ district: SampleDistrict) throws {
        #expect(try district.table(.locations).rawRows.count == district.locationCount)
        #expect(try district.table(.students).rawRows.count == district.studentCount)
        #expect(try district.table(.staff).rawRows.count == district.staffCount)
        #expect(try district.table(.courses).rawRows.count == district.courseCount)
        #expect(try district.table(.classes).rawRows.count == district.classCount)
        #expect(try district.table(.rosters).rawRows.count == district.membershipCount)
    }
}

extension SampleDistrict: CustomTestStringConvertible {
    public var testDescription: String { name }
}
