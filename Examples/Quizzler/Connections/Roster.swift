import Foundation

/// What Quizzler keeps of an organization's roster: what its pages show, and no more.
struct Roster: Codable, Equatable, Sendable {
    /// Names of schools by location id.
    var locationNames: [String: String] = [:]
    var people: [String: Person] = [:]
    var classes: [String: SchoolClass] = [:]
}

struct Person: Codable, Equatable, Sendable {
    var givenName: String?
    var familyName: String?
    /// Many pupils have none.
    var email: String?
    var grade: String?
    /// True for staff who are there for a whole school or more: cooks and administrators alike.
    var isStaff: Bool?
    /// True for those of them who hold their role at the organization itself and not at one of its schools, as
    /// administrators do. Only they see everybody.
    var isAdministrator: Bool?
}

struct SchoolClass: Codable, Equatable, Sendable {
    var name: String
    var nickname: String?
    var number: String?
    var room: String?
    var locationID: String?
    /// Keys of `Roster.people`, as are the pupils'.
    var teacherIDs: [String]
    var pupilIDs: [String]
}

extension Person {
    /// The name as it is written where it comes from: Chinese, Japanese and Korean names begin with the family's and
    /// have no space in between.
    var fullName: String {
        let names = [givenName, familyName].compactMap { $0 }.filter { !$0.isEmpty }
        guard !names.isEmpty else { return "No name" }
        return names.allSatisfy(\.isEastAsian) ? names.reversed().joined() : names.joined(separator: " ")
    }

    /// Family name first, whatever the script.
    var sortingName: String {
        "\(familyName ?? "") \(givenName ?? "")"
    }
}

extension String {
    /// Whether the text is in Han characters, Hangul or hiragana throughout. Katakana does not count: Japanese writes
    /// names from elsewhere in it, in their own order.
    fileprivate var isEastAsian: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x3041...0x3096, 0x3005, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
            default: false
            }
        }
    }
}
