/// One entry of a catalogue: a whole sentence with `{named}` placeholders, or one for each plural form.
///
/// In JSON either `"Sign in"` or `{"count": "people", "one": "{people} person", "other": "{people} people"}`, where
/// `count` names the placeholder whose number chooses the form.
enum SentenceForm: Sendable, Decodable {
    case plain(SentencePattern)
    case plural(count: String, one: SentencePattern?, other: SentencePattern)

    private enum CodingKeys: String, CodingKey {
        case count, one, other
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .plain(SentencePattern(text))
        } else {
            let forms = try decoder.container(keyedBy: CodingKeys.self)
            self = .plural(
                count: try forms.decode(String.self, forKey: .count),
                one: try forms.decodeIfPresent(String.self, forKey: .one).map(SentencePattern.init),
                other: SentencePattern(try forms.decode(String.self, forKey: .other))
            )
        }
    }

    /// The pattern for these values. English has a form for one; Japanese and Korean have only `other` (Unicode CLDR).
    func pattern(for values: Content) -> SentencePattern {
        switch self {
        case .plain(let pattern):
            return pattern
        case .plural(let count, let one, let other):
            if let one, case .count(1)? = values[count] {
                return one
            }
            return other
        }
    }

    /// The names of all placeholders, over all forms.
    var placeholders: Set<String> {
        switch self {
        case .plain(let pattern):
            return Set(pattern.gaps)
        case .plural(let count, let one, let other):
            return Set((one?.gaps ?? []) + other.gaps + [count])
        }
    }
}
