import Directory
import Foundation
import Ground
import Storage

/// A change while it is carried out, in its transaction. Every effect is recorded here, which writes the audit trail
/// and also collects what a preview shows: so the two always agree.
package final class Act {
    package let context: OperationContext
    package let transaction: WriteTransaction
    private(set) var effects: [Effect] = []
    private(set) var undo: (any Change)?
    /// The change that it takes back, so that what was there before comes back; nil for any other.
    var undoing: ChangeRecord?

    package var isUndoing: Bool { undoing != nil }

    init(_ context: OperationContext, _ transaction: WriteTransaction) {
        self.context = context
        self.transaction = transaction
    }

    package var now: Date { context.now }
    package var actor: Actor { context.authority.actor }
    package var origin: Origin { context.origin }
    package var surroundings: Surroundings { context.services.surroundings }

    /// Records one effect.
    /// - Parameters:
    ///   - detail: for the audit trail: what was changed, without names or secrets.
    ///   - name: the name of the subject that people know.
    ///   - loss: what people lose by it, for the preview.
    ///   - mentions: what the entry is found by, besides what stands in its words.
    package func record(
        _ action: AuditEntry.Action, on subject: some OperationSubject, called name: String, _ detail: String = "",
        losing loss: Effect.Loss? = nil, mentioning mentions: [AuditMention] = []
    ) throws {
        try AuditEntry(
            action, by: actor, on: subject.auditName, outcome: .done, detail: detail, from: origin,
            mentioning: mentions
        ).append(to: subject.subjectOrganization, at: now, in: transaction)
        effects.append(Effect(action, on: subject, called: name, detail, losing: loss))
    }

    /// Adds the effects of a part of this change.
    func include(_ part: Act) { effects += part.effects }

    /// Sets the change that undoes this one.
    package func undo(by change: some Change) { undo = change }
}

/// Something that a change has changed, or would change.
package struct Effect: Codable, Equatable, Sendable {
    /// The action of the audit trail, for example `person.changed`.
    package let action: String
    /// The subject's name in the audit trail, for example `person:12`.
    package let subject: String
    package let name: String
    package let detail: String
    /// What ends by it for people; nil if nothing does, or the detail alone says it.
    package var loss: Loss?

    /// Something that ends for people.
    package struct Loss: Codable, Equatable, Sendable {
        package enum Kind: String, Codable, CaseIterable, Sendable {
            /// They are signed out of the app.
            case signIns = "sign-ins"
            /// The app reads nothing about them any more.
            case reading
        }

        package let kind: Kind
        package let people: Int
    }
}

extension Effect {
    /// - Parameters: as those of ``Act/record(_:on:called:_:losing:mentioning:)``.
    init(
        _ action: AuditEntry.Action, on subject: some OperationSubject, called name: String, _ detail: String = "",
        losing loss: Loss? = nil
    ) {
        self.init(action: action.rawValue, subject: subject.auditName, name: name, detail: detail, loss: loss)
    }
}

/// What a change would do.
package struct Preview: Codable, Equatable, Sendable {
    /// The number of subjects for each action.
    package let counts: [String: Int]
    /// The first effects, ``effectsMax`` at most.
    package let effects: [Effect]
    /// The version in which the subject is now; nil if it has none. Whoever names it later carries out what the preview
    /// has shown, or nothing.
    package let version: String?
    /// What the change would answer, for a change that answers more than its effects say; nil for all others.
    package let answer: JSONValue?

    package static let effectsMax = 1_000

    init(_ effects: [Effect], version: String?, answer: JSONValue? = nil) {
        self.version = version
        self.answer = answer
        counts = Dictionary(effects.map { ($0.action, 1) }, uniquingKeysWith: +)
        self.effects = Array(effects.prefix(Self.effectsMax))
    }
}

/// What a change has done.
package struct Done<Answer: Codable & Sendable>: Codable, Sendable {
    package let answer: Answer
    /// The number with which ``Administrator/undo(_:in:)`` undoes it; nil if it cannot be undone.
    package let change: Int64?
    /// What was changed. When it is encoded, only the first ``Preview/effectsMax`` effects are written.
    package let effects: [Effect]

    private enum CodingKeys: String, CodingKey {
        case answer = "result"
        case change
        case effects
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(answer, forKey: .answer)
        try container.encodeIfPresent(change, forKey: .change)
        try container.encode(Array(effects.prefix(Preview.effectsMax)), forKey: .effects)
    }
}
