import Foundation

/// A sentence of the catalogues by its key, with the values for its placeholders.
package struct Sentence: Sendable {
    /// Section and name, for example "consent.heading".
    package let key: String
    /// Values for this sentence alone. They win over those of the page.
    package let values: Content

    package init(_ key: String, _ values: Content = [:]) {
        self.key = key
        self.values = values
    }
}

/// What a page puts into its template and its sentences, by name.
package typealias Content = [String: Value]

/// One value of a page.
package indirect enum Value: Sendable {
    /// Text as people entered it; escaped when rendered.
    case text(String)
    /// What an app is called, in the language of the page.
    case appName(AppName)
    /// An email address or user name, which may break after `@` and dots and nowhere else unless it has to.
    case address(String)
    /// A number of things. Sentences with plural forms choose by it; it is shown with grouped digits.
    case count(Int)
    /// A day in UTC, written as the language writes it.
    case day(Date)
    case flag(Bool)
    case sentence(Sentence)
    case group(Content)
    case list([Content])

    /// An absent value is a flag that is off: the template skips the section, and does not take an outer value of the
    /// same name.
    package static let absent = Value.flag(false)

    package static func text(ifAny text: String?) -> Value { text.map(Value.text) ?? .absent }
    package static func address(ifAny text: String?) -> Value { text.map(Value.address) ?? .absent }
    package static func sentence(ifAny sentence: Sentence?) -> Value { sentence.map(Value.sentence) ?? .absent }
    package static func group(ifAny content: Content?) -> Value { content.map(Value.group) ?? .absent }
}
