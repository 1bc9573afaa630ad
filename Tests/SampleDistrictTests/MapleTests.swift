import SampleDistrict
import Testing

@Suite struct MapleTests {
    let maple = SampleDistrict.maple

    @Test("the files do not change from one machine or Swift version to the next")
    func pinned() {
        #expect(maple.fingerprint == 9_637_887_818_842_337_032)
    }

    @Test("three schools share about two thousand people")
    func size() {
        #expect(maple.locationCount == 3)
        #expect((1_900...2_100).contains(maple.personCount))
    }

    @Test("classes are of a sensible size")
    func classSizes() throws {
        let sizes = Dictionary(grouping: try maple.table(.rosters).values("class_id")) { $0 }.mapValues(\.count)
        #expect(sizes.count == maple.classCount)
        #expect(sizes.values.allSatisfy { (20...28).contains($0) })
    }

    @Test("grades K to 12 are each at one school, and age decides the password policy")
    func grades() throws {
        var policies: [String: Set<String>] = [:]
        for row in try maple.table(.students).rows() {
            policies["\(row["location_id"]!) \(row["grade_level"]!)", default: []].insert(row["password_policy"]!)
        }
        #expect(
            policies == [
                "LOC-1 K": ["4"], "LOC-1 1": ["4"], "LOC-1 2": ["4"], "LOC-1 3": ["4"],
                "LOC-1 4": ["6"], "LOC-1 5": ["6"], "LOC-2 6": ["6"], "LOC-2 7": ["6"],
                "LOC-2 8": ["8"], "LOC-3 9": ["8"], "LOC-3 10": ["8"], "LOC-3 11": ["8"], "LOC-3 12": ["8"],
            ]
        )
    }

    @Test("young pupils have no e-mail address, most older ones do, all staff do")
    func emailAddresses() throws {
        let students = try maple.table(.students).rows()
        let young = students.filter { ["K", "1", "2", "3", "4"].contains($0["grade_level"]!) }
        let older = students.filter { !["K", "1", "2", "3", "4"].contains($0["grade_level"]!) }
        #expect(young.allSatisfy { $0["email_address"] == "" })
        #expect((1...older.count / 20).contains(older.count { $0["email_address"] == "" }))
        #expect(try !maple.table(.staff).values("email_address").contains(""))
    }

    @Test("some classes have a second and a third instructor")
    func coTeachers() throws {
        let classes = try maple.table(.classes)
        #expect(try classes.values("instructor_id_2").count { !$0.isEmpty } > 50)
        #expect(try classes.values("instructor_id_3").count { !$0.isEmpty } > 10)
    }

    @Test("some staff teach nothing, and some teach at two schools")
    func staff() throws {
        var schoolsTaught: [String: Set<String>] = [:]
        for row in try maple.table(.classes).rows() {
            for column in ["instructor_id", "instructor_id_2", "instructor_id_3"] where row[column] != "" {
                schoolsTaught[row[column]!, default: []].insert(row["location_id"]!)
            }
        }
        #expect(schoolsTaught.count { $0.value.count == 2 } == 12)
        #expect(try maple.table(.staff).values("person_id").count { schoolsTaught[$0] == nil } >= 15)
    }

    @Test("names are in nine scripts")
    func scripts() throws {
        let names = try maple.table(.students).values("last_name") + maple.table(.students).values("first_name")
        let samples: [Regex<Substring>] = [
            /\p{Script=Latin}/, /\p{Script=Hiragana}/, /\p{Script=Han}/, /\p{Script=Hangul}/, /\p{Script=Arabic}/,
            /\p{Script=Hebrew}/, /\p{Script=Cyrillic}/, /\p{Script=Greek}/, /\p{Script=Devanagari}/,
        ]
        for sample in samples {
            #expect(names.contains { $0.contains(sample) })
        }
        #expect(names.contains { $0.unicodeScalars.contains { $0.value > 0xFFFF } }, "beyond the basic plane")
    }

    @Test("Fatima Silva is a young pupil without an e-mail address")
    func fatima() throws {
        let notable = try #require(maple.notablePeople.first { $0.familyName == "Silva" })
        let row = try #require(try maple.table(.students).rows().first { $0["person_id"] == notable.personID })

        #expect(notable.givenName == "Fatima" && notable.role == .student && notable.emailAddress == nil)
        #expect(row["first_name"] == "Fatima" && row["last_name"] == "Silva")
        #expect(row["grade_level"] == "1" && row["password_policy"] == "4" && row["location_id"] == "LOC-1")
    }

    @Test("Ana Ruiz teaches at two schools, and Fatima Silva is in one of her classes")
    func ana() throws {
        let ana = try #require(maple.notablePeople.first { $0.familyName == "Ruiz" })
        let fatima = try #require(maple.notablePeople.first { $0.familyName == "Silva" })
        let classes = try maple.table(.classes).rows().filter { $0["instructor_id"] == ana.personID }
        let fatimasClasses = try maple.table(.rosters).rows()
            .filter { $0["student_id"] == fatima.personID }
            .map { $0["class_id"]! }

        #expect(ana.locationIDs == ["LOC-2", "LOC-1"])
        #expect(Set(classes.map { $0["location_id"]! }) == ["LOC-1", "LOC-2"])
        #expect(!Set(classes.map { $0["class_id"]! }).isDisjoint(with: fatimasClasses))
    }

    @Test("notable people are listed as the files have them, and no one shares their names")
    func notablePeople() throws {
        let people = try maple.table(.students).rows() + maple.table(.staff).rows()
        for notable in maple.notablePeople {
            let namesakes = people.filter {
                $0["first_name"] == notable.givenName && $0["last_name"] == notable.familyName
            }
            #expect(namesakes.count == 1)
            let row = try #require(namesakes.first)
            #expect(row["person_id"] == notable.personID)
            #expect(row["email_address"] == notable.emailAddress ?? "")
            #expect(row["sis_username"] == notable.sisUserName)
            #expect(row["password_policy"] ?? "8" == notable.passwordPolicy)
            #expect([row["location_id"]!, row["location_id_2"]!].filter { !$0.isEmpty } == notable.locationIDs)
        }
        #expect(Set(maple.notablePeople.map(\.role)) == [.administrator, .siteManager, .instructor, .student])
    }
}
