import Foundation

/// A sentence of the catalogues, named by its key, and what fills its placeholders.
struct Sentence: Sendable {
    /// Section and name, for example "consent.heading".
    let key: String
    /// Values for this sentence alone. They win over those of the page.
    let values: Content

    init(_ key: String, _ values: Content = [:]) {
        self.key = key
        self.values = values
    }
}

/// What a page puts into its template and its sentences, by name.
typealias Content = [String: Value]

/// One value of a page.
indirect enum Value: Sendable {
    /// Text as people entered it; escaped when rendered.
    case text(String)
    /// An email address or user name, which may break after `@` and dots and nowhere else unless it has to.
    case address(String)
    /// A number of things. Sentences with plural forms choose by it; it is shown with grouped digits.
    case count(Int)
    /// A day, written as the language writes it; the server's clock counts it in UTC.
    case day(Date)
    case flag(Bool)
    case sentence(Sentence)
    case group(Content)
    case list([Content])

    /// Nothing is a flag that is off: the template's section is skipped, and an outer value of that name is not taken.
    static let absent = Value.flag(false)

    static func text(ifAny text: String?) -> Value { text.map(Value.text) ?? .absent }
    static func address(ifAny text: String?) -> Value { text.map(Value.address) ?? .absent }
    static func sentence(ifAny sentence: Sentence?) -> Value { sentence.map(Value.sentence) ?? .absent }
    static func group(ifAny content: Content?) -> Value { content.map(Value.group) ?? .absent }
}
