import Administration
import Directory
import ServerPages

/// Who appears and who disappears by a change of the rules, in numbers.
package enum SharingQuestion {
    package static func heading(_ app: String) -> Sentence {
        Sentence("consoleSharing.confirm", ["app": .text(app.shown)])
    }
    package static func parent(_ app: String) -> Sentence {
        Sentence("consoleSharing.heading", ["app": .text(app.shown)])
    }

    package static func consequences(of preview: Preview, app: String) -> [Sentence] {
        func count(_ action: AuditEntry.Action) -> Int {
            let effects = preview.effects.filter { $0.action == action.rawValue }
            guard effects.contains(where: { $0.subject.hasPrefix("app:") }) else {
                return preview.counts[action.rawValue] ?? 0
            }
            // Beyond a thousand people an effect is about many of them, and its detail begins with their number.
            return effects.reduce(0) { $0 + (Int($1.detail.prefix { $0.isNumber }) ?? 0) }
        }
        let (hidden, shown) = (count(.sharingHidden), count(.sharingShown))
        return [
            Sentence("consoleSharing.disappear", ["people": .count(hidden), "app": .text(app.shown)]),
            Sentence("consoleSharing.appear", ["people": .count(shown), "app": .text(app.shown)]),
        ]
    }
}
