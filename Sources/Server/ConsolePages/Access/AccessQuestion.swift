import Administration
import ServerPages

/// What an app on the list means, before it is put there or taken off, or before the mode changes.
package enum AccessQuestion: Sendable {
    case add(app: String)
    case remove(app: String)
    case mode(allowsAll: Bool, listed: Int)

    package func heading(_ topic: AccessTopic) -> Sentence {
        switch self {
        case .add(let app): Sentence("consoleAccess.add", ["app": .text(app.shown)])
        case .remove(let app): Sentence("consoleAccess.remove", ["app": .text(app.shown)])
        case .mode(let allowsAll, _): AccessTopic.mode(allowsAll: allowsAll)
        }
    }

    /// - Parameters:
    ///   - people: how many people the organization has.
    ///   - effects: the effects that the preview of the change has.
    package func consequences(_ topic: AccessTopic, people: Int, effects: [Effect]) -> [Sentence] {
        let rule =
            switch self {
            case .add(let app): topic.sentence("add", ["app": .text(app.shown), "people": .count(people)])
            case .remove(let app): topic.sentence("remove", ["app": .text(app.shown), "people": .count(people)])
            case .mode(true, _): topic.sentence("toAll", ["people": .count(people)])
            case .mode(false, 0): topic.sentence("toNone")
            case .mode(false, let listed): topic.sentence("toListed", ["listed": .count(listed)])
            }
        // A list keeps all other apps from everybody, also where nobody uses one yet.
        let concerned: [Sentence] =
            switch self {
            case .mode(false, _): [topic.sentence("concerns", ["people": .count(people)])]
            case .add, .remove, .mode: []
            }
        let losses = AccessTopic.Loss.consequences(of: effects)
        let endsSignIns = effects.contains { $0.loss?.kind == .signIns }
        return [rule] + concerned + losses + (endsSignIns ? [Sentence("consoleAccess.notBack")] : [])
    }
}
