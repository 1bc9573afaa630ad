import Directory
import Storage

/// A person of either side: of the records, or of the files of the new system.
struct IDMapPerson {
    let sourceID: String
    let given: String
    let middle: String?
    let family: String
    let number: String?
    let email: String?
    let sisUserName: String?
    let grade: String?
    let isStudent: Bool
    /// Numbers of the locations, in the records; those of files that match no location are missing.
    let places: Set<Int64>
    /// Whether an administrator has entered the person, whom no import deactivates then.
    let isByHand: Bool

    init(_ row: Row, isStudent: Bool, places: Set<Int64>, isByHand: Bool = false) throws {
        sourceID = try row["source_id"]
        given = try row["given_name"]
        middle = try row["middle_name"]
        family = try row["family_name"]
        number = try row["person_number"]
        email = (try row["email"] as String?)?.lowercased()
        sisUserName = (try row["sis_username"] as String?)?.lowercased()
        grade = try row["grade"]
        self.isStudent = isStudent
        self.places = places
        self.isByHand = isByHand
    }

    var fullName: String { Person.fullName(givenName: given, familyName: family) }

    /// What somebody must share with this person to be compared with them. Most people share nothing with most others.
    func keys(_ names: SimplifiedNames) -> [String] {
        [
            number.map { "number \($0)" }, email.map { "email \($0)" }, sisUserName.map { "user \($0)" },
            "name \(names.simplify(given)) \(names.simplify(family))",
        ].compactMap(\.self)
    }
}

/// How much of two people agrees.
struct IDMapLikeness {
    private(set) var agreeing: [String] = []
    private(set) var differing: [String] = []
    /// How many of number, address and user name agree. One of these is worth more than a name, which many share.
    private(set) var strong = 0
    /// Whether it is the same person as far as the two alone can tell.
    private(set) var isSure = false

    init(_ old: IDMapPerson, _ new: IDMapPerson, _ likeness: NameLikeness) {
        let difference = likeness.difference(
            between: .init(given: old.given, middle: old.middle, family: old.family),
            and: .init(given: new.given, middle: new.middle, family: new.family))
        let isSameName = !difference.given && !difference.family
        var strongDiffering = 0
        func compare(_ word: String, _ isSame: Bool?) -> Bool {
            guard let isSame else { return false }
            if isSame { agreeing.append(word) } else { differing.append(word) }
            return isSame
        }
        for (word, one, other) in [
            ("number", old.number, new.number), ("address", old.email, new.email),
            ("user name", old.sisUserName, new.sisUserName),
        ] {
            guard let one, let other else { continue }
            if compare(word, one == other) { strong += 1 } else { strongDiffering += 1 }
        }
        _ = compare("name", isSameName)
        let isSameGrade = compare("grade", old.grade.flatMap { one in new.grade.map { $0 == one } })
        let places = old.places.isEmpty || new.places.isEmpty ? nil : !old.places.isDisjoint(with: new.places)
        let isSamePlace = compare("place", places)
        if old.isStudent != new.isStudent { differing.append("role") }
        let isExactName = old.given == new.given && old.family == new.family && old.isStudent == new.isStudent
        // A name alone is not enough: another child of the same name may have come where the first one left.
        isSure =
            strongDiffering == 0
            && (strong > 0 ? isSameName : isExactName && isSameGrade && isSamePlace)
    }

    var text: String {
        (agreeing.isEmpty ? "" : "same \(agreeing.joined(separator: ", "))")
            + (differing.isEmpty ? "" : "; other \(differing.joined(separator: ", "))")
    }
}
