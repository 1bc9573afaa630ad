import Foundation
import Ground
import ServerPages

/// A value in a table or beside a name.
package enum Cell: Sendable {
    case text(String)
    /// Text of somebody's files or programs, which can be one long word.
    case verbatim(String)
    /// Such texts, one below the other.
    case lines([String])
    /// What programs compare letter by letter, such as a return URL: nothing of it is left out, however long it is.
    case exact(String)
    /// What the server says in English, whatever the language of the page.
    case english(String)
    case sentence(Sentence)
    /// A name that leads to a page of its own.
    case link(String, to: String, Badge? = nil)
    case phrase(Sentence, to: String)
    case address(String)
    case count(Int)
    case day(Date)
    /// Words that belong together, one beside the other, such as roles.
    case chips([Sentence])
    /// A word with a mark before it that says the same by its shape.
    case mark(Part.MessageTone, Sentence)
    case button(Sentence, ConsoleForm.Target)
    case nothing

    /// A number that was counted up to a bound, and is larger than the bound where there are more.
    static func count(_ number: Int, upTo bound: Int) -> Cell {
        number > bound ? .sentence(Sentence("console.moreThan", ["count": .count(bound)])) : .count(number)
    }

    var isNothing: Bool { if case .nothing = self { true } else { false } }

    var content: Content {
        var content: Content = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Value.absent) })
        content["cellBadge"] = .absent
        switch self {
        case .text(let text): content["cellText"] = .text(text.shown)
        case .verbatim(let text): content["cellVerbatim"] = .text(text.shown)
        case .lines(let lines):
            content["cellLines"] = .group(["lines": .list(lines.map { ["line": .text($0.shown)] })])
        case .exact(let text): content["cellVerbatim"] = .text(text.withoutDirectionControls)
        case .english(let text): content["cellEnglish"] = .text(text.shown)
        case .sentence(let sentence): content["cellText"] = .sentence(sentence)
        case .link(let text, let path, let badge):
            content["cellLink"] = .group(["cellPath": .text(path), "cellName": .text(text.shown)])
            content["cellBadge"] = .group(ifAny: badge?.content)
        case .phrase(let sentence, let path):
            content["cellLink"] = .group(["cellPath": .text(path), "cellName": .sentence(sentence)])
        case .address(let address): content["cellAddress"] = .address(address)
        case .count(let count): content["cellText"] = .count(count)
        case .day(let day): content["cellText"] = .day(day)
        case .chips(let chips):
            content["cellChips"] = .group(["chips": .list(chips.map { ["chip": .sentence($0)] })])
        case .mark(let tone, let sentence):
            content["cellMark"] = .group(["markTone": .text(tone.rawValue), "markText": .sentence(sentence)])
        case .button(let label, let target):
            content["cellButton"] = .group(
                target.content.merging(["buttonLabel": .sentence(label)]) { own, _ in own })
        case .nothing: break
        }
        return content
    }

    private static let names = [
        "cellText", "cellVerbatim", "cellLines", "cellEnglish", "cellLink", "cellAddress", "cellChips", "cellMark",
        "cellButton",
    ]
}
