import SampleDistrict

extension SampleDistrict {
    /// Three schools whose class sizes do not divide their grades evenly.
    static let uneven = SampleDistrict(named: "Uneven", people: 3_001, classes: 701, membersPerClass: 17)

    func table(_ file: File) throws -> CSVTable {
        try CSVTable(contents(of: file))
    }

    /// The 64-bit FNV-1a hash of all six files, one after the other.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for file in File.allCases {
            for byte in contents(of: file) {
                hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            }
        }
        return hash
    }
}
