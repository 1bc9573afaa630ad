import Administration
import Directory
import Ground
import ServerPages

/// How the console speaks of apps.
package enum AppWords {
    package static func path(of number: Int64) -> String { "\(ConsoleSection.apps.path)/\(number)" }

    static func badge(_ name: String, _ clientID: String) -> Badge { Badge(name: name, id: clientID) }

    static func query(_ fields: [(String, String)]) -> String {
        FormEncoding.encode(fields.map { FormField($0.0, $0.1) })
    }

    /// What an app was allowed to read, in words.
    static func scopes(_ scopes: [String]) -> [Sentence] {
        scopes.compactMap { scope in words.first { $0.0 == scope }.map { Sentence($0.1) } }
    }

    private static let words = [
        ("edu.users.read", "consoleApp.scope_users"), ("edu.classes.read", "consoleApp.scope_classes"),
        ("edu.rosterapi.test.read", "consoleApp.scope_test"),
    ]

    static func role(_ role: RosterRole) -> Sentence {
        switch role {
        case .student: Role.student.word
        case .instructor: Role.instructor.word
        case .staff: Role.staff.word
        }
    }

    static func field(_ field: SharedField) -> Sentence {
        Sentence("consoleSharing.field_\(field.rawValue.sentenceName)")
    }

    static let sentences = words.map { Sentence($0.1) } + SharedField.allCases.map(field)
}
