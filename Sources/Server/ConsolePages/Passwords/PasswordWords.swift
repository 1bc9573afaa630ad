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

    package static func consequences(replaces: Bool, count: Int) -> [Sentence] {
        [
            replaces
                ? Sentence("consolePasswords.confirmReplaces", ["count": .count(count)])
                : Sentence("consolePasswords.confirmKeeps"),
            Sentence("consolePasswords.confirmValid"), Sentence("consolePasswords.confirmFile"),
        ]
    }

    package static var manyButton: Sentence { Sentence("consolePasswords.button") }
}
