/// A language in which the programs of a device speak to people.
package enum SpokenLanguage: String, CaseIterable, Sendable {
    case en, ja, ko

    /// - Parameter tag: begins with a language of ISO 639, as `ja-JP;q=0.8` and `ko_KR.UTF-8` do. nil for languages that are not spoken.
    package init?(tag: some StringProtocol) {
        let name = tag.drop { $0 == " " }.prefix { $0.isLetter }
        self.init(rawValue: name.lowercased())
    }

    /// The first of those that a person's session wants, or English.
    /// - Parameter variable: looks up a variable of the session.
    package init(ofSession variable: (String) -> String?) {
        // In the order in which gettext looks at them. `LANGUAGE` may name several.
        let names = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]
        let wanted = names.compactMap(variable).first { !$0.isEmpty } ?? ""
        self = wanted.split(separator: ":").compactMap { SpokenLanguage(tag: $0) }.first ?? .en
    }
}
