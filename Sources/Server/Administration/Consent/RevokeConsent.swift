import Authorization
import Directory
import Storage

/// Ends a consent at once.
package struct RevokeConsent: Change {
    package typealias Answer = RevokedConsent

    package static let name = "consent.revoke"
    package static let summary = """
        Ends the consent of an organization for an app: it reads nothing from the next call on, and is told so.
        """
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.delete, "apps/{app}/consent")
    package static let explanations = ["app": AppReference.explanation]
    package static let undo = UndoRule.impossible(
        "The app is told, and deletes what it has; an Administrator connects it anew in the browser.")

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AppConsent {
        try app.findConsent(in: context, transaction)
    }

    package func carryOut(on given: AppConsent, _: Void, in act: Act) throws -> RevokedConsent {
        let view = try RosterView(of: given.organization, for: given.app.id, at: act.now, in: act.transaction)
        let people = try view.people(in: act.transaction)
        guard
            try given.consent.close(
                by: act.context.authority.person, at: act.now, surroundings: act.surroundings, in: act.transaction)
        else { throw OperationError.refused("The consent has been revoked meanwhile.") }
        try act.record(
            .consentRevoked, on: given, called: given.app.name,
            "reads nothing about the \(people) people any more; was \(given.consent.scopes.text)",
            losing: Effect.Loss(kind: .reading, people: people))
        return RevokedConsent(
            consent: try ConsentRecord(given, in: act.context, act.transaction),
            isNotified: given.app.notificationURL != nil)
    }
}

/// A consent that was revoked, and whether its app is told.
package struct RevokedConsent: Codable, Sendable {
    package let consent: ConsentRecord
    /// Whether the app has a notification URL.
    package let isNotified: Bool
}
