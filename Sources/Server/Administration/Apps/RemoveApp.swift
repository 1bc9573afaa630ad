import Authorization
import Directory
import Storage

/// Takes an app off the server.
package struct RemoveApp: AppChange, ForeseenChange {
    package static let name = "app.remove"
    package static let summary = """
        Takes an app off the server, and revokes what organizations and people have allowed it. The app is told. Its client \
        ids are not given to another app.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.delete, "apps/{app}", below: .server)
    package static let explanations = ["app": AppReference.explanation]
    package static let undo = UndoRule.impossible("The app is told, and deletes what it has.")
    package static let needsVersion = true

    package struct Answer: Codable, Sendable {
        /// The name of the app.
        package let removed: String
        package let revokedConsents: Int
        /// How many people were signed out of it.
        package let people: Int
    }

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func foresee(
        on app: App, in context: OperationContext, _ transaction: ReadTransaction
    ) throws -> [Effect] {
        guard app.removedAt == nil else { throw Self.removedMeanwhile(app) }
        let consents = try Consent.list(livingOf: app.id, in: transaction)
        let people = try CountedSignIns.count(of: app.id, transaction)
        return [Effect(.appRemoved, on: app, called: app.name, Self.text(consents: consents.count, people: people))]
            + (try consents.compactMap { consent -> Effect? in
                guard let organization = try Organization.find(consent.organizationID, in: transaction) else {
                    return nil
                }
                return Effect(
                    .consentRevoked, on: AppConsent(consent: consent, app: app, organization: organization),
                    called: organization.name, consent.scopes.text)
            })
    }

    private static func removedMeanwhile(_ app: App) -> OperationError {
        .refused("\(app.name) was removed in the meantime.")
    }

    private static func text(consents: Int, people: Int) -> String {
        "\(consents) consents revoked, \(people) people signed out"
    }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> Answer {
        guard
            let removal = try app.remove(
                by: act.actor, from: act.origin, at: act.now, surroundings: act.surroundings, in: act.transaction)
        else { throw Self.removedMeanwhile(app) }
        let consents = removal.revokedConsents
        try act.record(
            .appRemoved, on: app, called: app.name,
            Self.text(consents: consents.count, people: removal.people))
        try act.record(consents, to: app, .consentRevoked) { $0.scopes.text }
        return Answer(removed: app.name, revokedConsents: consents.count, people: removal.people)
    }
}
