import SampleDistrict
import Testing

@Suite struct GeneratedDistrictTests {
    @Test("a generated district has exactly the size that was asked for")
    func exactSize() {
        let district = SampleDistrict(named: "Large", people: 100_000, classes: 40_000, membersPerClass: 25)
        #expect(district.personCount == 100_000)
        #expect(district.classCount == 40_000)
        #expect(district.membershipCount == 1_000_000)
        #expect(district.locationCount == 100)
    }

    @Test("every class has exactly the members that were asked for")
    func membersPerClass() throws {
        let sizes = Dictionary(grouping: try SampleDistrict.uneven.table(.rosters).values("class_id")) { $0 }
        #expect(sizes.count == 701)
        #expect(sizes.values.allSatisfy { $0.count == 17 })
    }

    @Test("the number of schools can be chosen")
    func schools() {
        let district = SampleDistrict(named: "Small", people: 100, schools: 2, classes: 12, membersPerClass: 5)
        #expect(district.locationCount == 2)
        #expect(district.personCount == 100)
    }

    @Test("the same seed gives the same files, another seed gives others")
    func seeds() {
        func district(seed: UInt64) -> SampleDistrict {
            SampleDistrict(named: "Seeded", seed: seed, people: 1_000, classes: 50, membersPerClass: 20)
        }
        #expect(district(seed: 7).fingerprint == district(seed: 7).fingerprint)
        #expect(district(seed: 7).fingerprint != district(seed: 8).fingerprint)
    }

    @Test("the files do not change from one machine or Swift version to the next")
    func pinned() {
        #expect(SampleDistrict.uneven.fingerprint == 10_356_570_053_017_322_940)
    }

    @Test("nobody is introduced by name")
    func noCast() {
        #expect(SampleDistrict.uneven.notablePeople.isEmpty)
    }
}
