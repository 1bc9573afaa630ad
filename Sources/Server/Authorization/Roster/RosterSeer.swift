import Directory
import Foundation
import Storage

/// An app in whose place somebody looks at a roster, without its token.
package struct RosterSeer: Sendable {
    package let app: App
    package let view: RosterView
    /// What the organization has allowed; or, if it has allowed nothing, what the app may ask for.
    package let scopes: ScopeSet
    /// Whether the app can read at present.
    package let mayRead: Bool

    package init(
        _ app: App, of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws {
        self.app = app
        view = try RosterView(of: organization, for: app.id, at: now, in: transaction)
        let consent = try Consent.living(app: app.id, organization: organization.id, at: now, in: transaction)
        let access = try DataSharingAccess.decide(app: app, organization: organization, in: transaction)
        scopes = (consent?.scopes ?? ScopeSet([.usersRead, .classesRead])).intersection(app.scopes)
        mayRead = consent != nil && access == .allowed
    }

    /// - Throws: ``RosterRefusal/forbidden(_:)``
    func require(_ isAllowed: (ScopeSet) -> Bool) throws {
        guard isAllowed(scopes) else { throw RosterRefusal.forbidden("the scopes are \(scopes.text)") }
    }
}
