import Administration
import Directory
import ServerPages

/// Why something was not shown or not done.
package struct ConsoleProblemPage: DeskPage {
    package let frame: Frame
    package let failure: OperationFailure

    /// Where the person goes on.
    package let back: String

    package init(frame: Frame, failure: OperationFailure, back: String) {
        self.frame = frame
        self.failure = failure
        self.back = back
    }

    package var heading: Sentence { Sentence("consoleProblem.\(word)") }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("console.goOn"), to: back)] }
    package var parts: [Part] {
        isSearch
            ? [
                .message(
                    .warning,
                    Sentence(
                        "consoleProblem.searchText",
                        ["words": .count(SearchLimit.wordsMax), "bytes": .count(SearchLimit.bytesMax)]))
            ] : [.refusal(Sentence("consoleProblem.\(word)Text"), detail: failure.detail)]
    }

    /// Whether a search was given too much: that has words in each language.
    private var isSearch: Bool { failure.kind == .invalid && failure.field == SearchLimit.field }

    private var word: String {
        switch failure.kind {
        case .unauthorized, .forbidden: "forbidden"
        case .notFound: "notFound"
        case .stale: "stale"
        case .invalid where isSearch: "search"
        case .ambiguous, .invalid, .refused, .items: "refused"
        case .unavailable: "unavailable"
        }
    }

    static let sentences = ["forbidden", "notFound", "stale", "refused", "search", "unavailable"].flatMap {
        [Sentence("consoleProblem.\($0)"), Sentence("consoleProblem.\($0)Text")]
    }
}
