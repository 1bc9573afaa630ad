extension Person {
    /// Given and family name, as most of the interface shows them.
    package var fullName: String { Self.fullName(givenName: givenName, familyName: familyName) }

    /// The name in its own order: Chinese, Japanese and Korean names begin with the family name and have no space in
    /// between.
    package static func fullName(givenName: String, familyName: String) -> String {
        givenName.isEastAsian && familyName.isEastAsian ? familyName + givenName : "\(givenName) \(familyName)"
    }
}

extension Person {
    /// The same with the middle name, which follows the given one in every order.
    package static func fullName(givenName: String, middleName: String?, familyName: String) -> String {
        guard let middleName else { return fullName(givenName: givenName, familyName: familyName) }
        let isEastAsian = givenName.isEastAsian && middleName.isEastAsian
        return fullName(givenName: "\(givenName)\(isEastAsian ? "" : " ")\(middleName)", familyName: familyName)
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
