/// Given and family names that go together, so that a person's name is in one script and from one place.
struct NameGroup: Sendable {
    /// How frequent such names are, relative to the other groups.
    let weight: Int
    let usesMiddleNames: Bool
    let given: [PersonName]
    let family: [PersonName]

    /// - Parameters:
    ///   - given: Names separated by commas. A name beyond ASCII carries its Latin letters: `Zoë=zoe`.
    ///   - family: The same for family names. All fit a person of either gender.
    init(weight: Int, usesMiddleNames: Bool = false, given: String, family: String) {
        self.weight = weight
        self.usesMiddleNames = usesMiddleNames
        self.given = Self.parse(given)
        self.family = Self.parse(family)
    }

    private static func parse(_ list: String) -> [PersonName] {
        list.split(separator: ",").map { item in
            let parts = item.drop(while: \.isWhitespace).split(separator: "=")
            return parts.count == 2 ? PersonName(parts[0], latin: parts[1]) : PersonName(parts[0])
        }
    }
}

extension NameGroup {
    static let all = latin + otherScripts

    /// Positions in ``all``, each repeated by the group's weight, so that a uniform draw is a draw by weight.
    static let byWeight = all.indices.flatMap { index in
        repeatElement(index, count: all[index].weight)
    }
}
