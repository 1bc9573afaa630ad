import Foundation

/// The part of an organization's roster that Quizzler keeps: only what its pages show.
struct Roster: Codable, Equatable, Sendable {
    /// Names of schools by location id.
    var locationNames: [String: String] = [:]
    var people: [String: Person] = [:]
    var classes: [String: SchoolClass] = [:]
}

struct Person: Codable, Equatable, Sendable {
    var givenName: String?
    var familyName: String?
    /// Nil for many pupils.
    var email: String?
    var grade: String?
    /// True for staff of a whole school or organization, from cooks to administrators.
    var isStaff: Bool?
    /// True for staff whose role is at the organization itself and not at one of its schools, as that of
    /// administrators. Only they see everybody.
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
    /// The name in its usual order: Chinese, Japanese and Korean names begin with the family name and have no space.
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
    /// Whether all of the text is in Han characters, Hangul or hiragana. Katakana does not count, because in Japanese
    /// it is used for foreign names, which keep their own order.
    fileprivate var isEastAsian: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x3041...0x3096, 0x3005, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
            default: false
            }
        }
    }
}
