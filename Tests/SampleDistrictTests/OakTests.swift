import SampleDistrict
import Testing

@Suite struct OakTests {
    let oak = SampleDistrict.oak

    @Test("one school has some 120 people, in six classes with a class teacher each")
    func size() throws {
        #expect(oak.locationCount == 1 && oak.classCount == 6)
        #expect((115...125).contains(oak.personCount))
        let sizes = Dictionary(grouping: try oak.table(.rosters).values("class_id")) { $0 }.mapValues(\.count)
        #expect(sizes.count == 6 && sizes.values.allSatisfy { (18...20).contains($0) })
        #expect(Set(try oak.table(.classes).values("instructor_id")).count == 6)
        #expect(Set(try oak.table(.courses).values("course_name")).count == 6)
    }

    @Test("it shares no id and no address with Maple District")
    func ownIdentifiers() throws {
        let columns: [(SampleDistrict.File, String)] = [
            (.locations, "location_id"), (.students, "person_id"), (.staff, "person_id"), (.courses, "course_id"),
            (.classes, "class_id"), (.rosters, "roster_id"), (.students, "email_address"), (.staff, "email_address"),
        ]
        for (file, column) in columns {
            let own = Set(try oak.table(file).values(column)).subtracting([""])
            #expect(own.isDisjoint(with: try SampleDistrict.maple.table(file).values(column)), "\(column) of \(file)")
            #expect(!own.isEmpty)
        }
    }
}
