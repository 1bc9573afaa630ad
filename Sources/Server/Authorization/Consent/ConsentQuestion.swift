import Directory
import Foundation
import Storage

/// What the consent page asks, or why it cannot ask: everything that is decided about a request and the person
/// who is signed in.
package enum ConsentQuestion: Sendable {
    /// The person may decide.
    case ask(Ask)
    /// The person may not decide: only an Administrator or Site Manager may, or for the test scope a member of the
    /// app's team.
    case notEntitled(NotEntitled)
    /// The organization's access rule does not allow the app.
    case notAllowed(app: App, organization: Organization, reason: DataSharingAccess.Reason)

    package struct NotEntitled: Sendable {
        package let app: App
        package let team: Team
        /// The person's own organization.
        package let organization: Organization?
        /// The person's highest role; nil if they have none.
        package let role: Role?
        package let isTest: Bool
        /// The locations for which the person has a role that would be sufficient if it were held for the whole
        /// organization.
        package let places: [String]
        /// Who may decide; none for the test scope.
        package let contacts: [Organization.Contact]
    }

    package struct Ask: Sendable {
        package let app: App
        package let team: Team
        package let organization: Organization
        package let scopes: ScopeSet
        /// What the organization lets the app read now.
        package let existing: Consent?
        /// Until when it would let the app read; nil for no end.
        package let lastDay: CalendarDay?
        /// The roles with which the person may decide; none for the test scope.
        package let roles: [Role]
        package let people: Int
        package let classes: Int
    }
}

extension ConsentQuestion {
    /// - Throws: ``OAuthError`` `invalid_client` if the app has been removed in the meantime.
    package static func find(
        for request: AuthorizationRequest, person: Person, at now: Date, in transaction: some Transaction
    ) throws -> ConsentQuestion {
        guard let app = try App.find(clientID: request.clientID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction)
        else { throw OAuthError(.invalidClient, "the client has been removed") }
        let own = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
        let held = Set(try RoleAssignment.inForce(of: person.id, at: now, in: transaction).map(\.role))
        let role = Role.allCases.first(where: held.contains)
        // Read again instead of trusting the session, because the account may have been deactivated since the page was
        // shown.
        let isActive = try Person.find(person.id, in: transaction)?.state.staysSignedIn == true
        func notEntitled(places: [String] = []) throws -> ConsentQuestion {
            let isTest = request.scopes.isTest
            // The developer's own team decides about the test scope, so there is nobody else to contact.
            let asked = isTest ? nil : own
            return .notEntitled(
                NotEntitled(
                    app: app, team: team, organization: own, role: role, isTest: isTest, places: places,
                    contacts: try asked.map {
                        try Organization.contacts(for: .dataSharing, of: $0.id, at: now, in: transaction)
                    } ?? []))
        }
        let organization: Organization
        var roles: [Role] = []
        if request.scopes.isTest {
            guard isActive, let synthetic = try Organization.synthetic(in: transaction),
                try Team.isMember(person.id, of: team.id, in: transaction)
            else { return try notEntitled() }
            organization = synthetic
        } else {
            let sharing = try person.rolesForSharing(at: now, in: transaction)
            roles = sharing.deciding
            guard isActive, let own, !roles.isEmpty else {
                return try notEntitled(places: sharing.places)
            }
            organization = own
        }
        if case .refused(let reason) = try DataSharingAccess.decide(
            app: app, organization: organization, in: transaction)
        {
            return .notAllowed(app: app, organization: organization, reason: reason)
        }
        let view = try RosterView(of: organization, for: app.id, at: now, in: transaction)
        return .ask(
            Ask(
                app: app, team: team, organization: organization, scopes: request.scopes,
                existing: try Consent.living(app: app.id, organization: organization.id, at: now, in: transaction),
                lastDay: try ConsentTerm.find(of: organization.id, in: transaction).lastDay(from: CalendarDay(now)),
                roles: roles, people: try view.people(in: transaction), classes: try view.classes(in: transaction)))
    }
}
