/// What pupils and staff have in common.
struct Person {
    /// The number of a person in the district, from 0: pupils first, then staff.
    let ordinal: Int
    let given: PersonName
    let family: PersonName
    /// Empty for most.
    let middle: [UInt8]
    /// Whether address and user name have no number. True for the ``CastMember``s of a demo, who are few enough that
    /// their names do not collide.
    let hasPlainAddress: Bool
    /// The person's own random sequence, from which callers draw everything else that varies.
    var random: SplitMix64

    /// A badge number: five digits and more.
    var number: Int {
        40_001 + ordinal
    }

    /// Appends `given.family` and the person's number, which keeps namesakes apart, at the district's domain.
    func appendEmailAddress(at domain: String, to bytes: inout [UInt8]) {
        bytes += given.latin
        bytes.append(UInt8(ascii: "."))
        bytes += family.latin
        appendSuffix(to: &bytes)
        bytes.append(UInt8(ascii: "@"))
        bytes += domain.utf8
    }

    /// Appends the initial, the family name, and the same number.
    func appendUserName(to bytes: inout [UInt8]) {
        bytes += given.latin.prefix(1)
        bytes += family.latin
        appendSuffix(to: &bytes)
    }

    private func appendSuffix(to bytes: inout [UInt8]) {
        if !hasPlainAddress {
            bytes.append(number: ordinal + 1)
        }
    }
}

extension SampleDistrict {
    func person(_ ordinal: Int) -> Person {
        var random = SplitMix64(seed: seed, stream: .person, index: ordinal)
        if let member = castByOrdinal[ordinal] {
            return Person(
                ordinal: ordinal,
                given: member.given,
                family: member.family,
                middle: [],
                hasPlainAddress: true,
                random: random
            )
        }
        let groups = NameGroup.byWeight
        let group = NameGroup.all[groups[random.next(below: groups.count)]]
        let given = random.next(below: group.given.count)
        let family = random.next(below: group.family.count)
        return Person(
            ordinal: ordinal,
            given: group.given[given],
            family: group.family[family],
            middle: group.middleName(besides: given, &random),
            hasPlainAddress: false,
            random: random
        )
    }
}

extension NameGroup {
    /// A second given name for every fourth person where that is the custom, and a nickname in quotes for a few.
    fileprivate func middleName(besides given: Int, _ random: inout SplitMix64) -> [UInt8] {
        guard usesMiddleNames, random.once(in: 4) else { return [] }
        let other = (given + 1 + random.next(below: self.given.count - 1)) % self.given.count
        let nickname = random.once(in: 12) ? #" "Mack""# : ""
        return self.given[other].written + nickname.utf8
    }
}
