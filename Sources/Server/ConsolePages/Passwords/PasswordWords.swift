import Administration
import ServerPages

/// What is said before passwords are given.
package enum PasswordWords {
    package static func heading(_ person: PersonRecord) -> Sentence {
        Sentence("consolePassword.heading", ["name": .text(person.fullName)])
    }

    package static var consequences: [Sentence] {
        [Sentence("consolePassword.text"), Sentence("consolePassword.once")]
    }

    package static var button: Sentence { Sentence("consolePassword.button") }

    package static var manyHeading: Sentence { Sentence("consolePasswords.heading") }

    package static func heading(count: Int) -> Sentence {
        Sentence("consolePasswords.confirmHeading", ["count": .count(count)])
    }

    /// - Parameters:
    ///   - count: how many people get a password.
    ///   - mailed: how many of them get it by mail; nil if no letters are asked for.
    package static func consequences(replaces: Bool, count: Int, mailed: Int?) -> [Sentence] {
        var sentences = [
            replaces
                ? Sentence("consolePasswords.confirmReplaces", ["count": .count(count)])
                : Sentence("consolePasswords.confirmKeeps"),
            Sentence("consolePasswords.confirmValid"),
        ]
        if let mailed {
            sentences.append(
                mailed == 0
                    ? Sentence("consolePasswords.confirmNoLetters")
                    : Sentence("consolePasswords.confirmLetters", ["count": .count(mailed)]))
        }
        if mailed != count { sentences.append(Sentence("consolePasswords.confirmFile")) }
        return sentences
    }

    package static var manyButton: Sentence { Sentence("consolePasswords.button") }
}
