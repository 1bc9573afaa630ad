/// A language that the pages are written in. The raw value is its BCP 47 tag, as in `lang`.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"

    /// The language's name in the language itself, so that a person who cannot read the page finds it.
    package var endonym: String {
        switch self {
        case .english: "English"
        case .japanese: "日本語"
        case .korean: "한국어"
        }
    }

    /// Whether forms ask for the family name before the given name.
    var putsFamilyNameFirst: Bool {
        switch self {
        case .english: false
        case .japanese, .korean: true
        }
    }
}
