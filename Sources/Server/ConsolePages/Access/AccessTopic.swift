import Administration
import Directory
import ServerPages

/// One of the two questions of Access Management: to which apps people sign in, and which apps read the roster.
package enum AccessTopic: String, CaseIterable, Sendable {
    case signIn = "sign-in"
    case dataSharing = "data-sharing"

    package var path: String { "\(ConsoleSection.access.path)/\(rawValue)" }
    package var addPath: String { "\(path)/add" }

    package func path(of app: Int64, _ act: Act) -> String { "\(path)/apps/\(app)/\(act.rawValue)" }

    /// What is done with one app.
    package enum Act: String, CaseIterable, Sendable {
        case add, remove
    }

    /// A key of the catalogues that both questions have.
    func sentence(_ name: String, _ values: Content = [:]) -> Sentence {
        Sentence("consoleAccess.\(name)_\(rawValue.sentenceName)", values)
    }

    package var heading: Sentence { sentence("heading") }
    package var privilege: Privilege { self == .signIn ? .manageSignInApps : .shareData }

    /// The questions about which the person at the desk may decide. In a business nobody decides about data sharing,
    /// because it has no roster to share.
    package static func open(to desk: Desk) -> [AccessTopic] {
        allCases.filter { desk.mayEverywhere($0.privilege) && (desk.isSchool || $0 == .signIn) }
    }

    static func mode(allowsAll: Bool) -> Sentence { Sentence("consoleAccess.\(allowsAll ? "all" : "listed")") }

    private static let names = [
        "heading", "lead", "allText", "listedText", "toListed", "toNone", "toAll", "concerns", "add", "remove",
        "notInForce", "empty",
    ]
    static let sentences =
        allCases.flatMap { topic in names.map { topic.sentence($0) } }
        + [true, false].map { mode(allowsAll: $0) } + Loss.sentences
}

extension AccessTopic {
    /// What ends by a change, in sentences with numbers.
    package enum Loss {
        package static func consequences(of effects: [Effect]) -> [Sentence] {
            effects.compactMap { effect in
                effect.loss.map { loss in
                    sentence(loss.kind, ["app": .text(effect.name.shown), "people": .count(loss.people)])
                }
            }
        }

        private static func sentence(_ kind: Effect.Loss.Kind, _ values: Content = [:]) -> Sentence {
            switch kind {
            case .signIns: Sentence("consoleAccess.lost_signIns", values)
            case .reading: Sentence("consoleAccess.lost_reading", values)
            }
        }

        static let sentences = Effect.Loss.Kind.allCases.map { sentence($0) }
    }
}
