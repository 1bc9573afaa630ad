import SampleDistrict

@testable import RosterFiles

extension RosterTexts {
    /// The files of a district with three schools and about two thousand people.
    static var maple: RosterTexts {
        var files: RosterTexts = [:]
        for file in SampleDistrict.File.allCases {
            files[RosterFile(named: file.name)!] = String(
                decoding: SampleDistrict.maple.contents(of: file), as: UTF8.self)
        }
        return files
    }

    static var mapleCounts: (people: Int, memberships: Int) {
        (SampleDistrict.maple.personCount, SampleDistrict.maple.membershipCount)
    }
}
