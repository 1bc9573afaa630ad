import Authorization
import Directory
import Storage

extension App: OperationSubject {
    package var subjectOrganization: OrganizationID? { nil }
    package var subjectTeam: TeamID? { teamID }
    package var auditName: String { "app:\(id.rawValue)" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: teamID) }

    package func version(in transaction: some Transaction) throws -> String? {
        try App.find(id, in: transaction)?.presentVersion(in: transaction)
    }

    /// Changes whenever the team registers something else for the app or offers it to another team, and not when people
    /// begin or cease to use it.
    func presentVersion(in transaction: some Transaction) throws -> String {
        let clients = try Client.list(of: id, in: transaction).flatMap {
            [$0.clientID, $0.authentication.rawValue, $0.signingAlgorithm.rawValue]
        }
        let offer = try AppOffer.find(id, in: transaction)
        let domains = try App.domains(of: id, in: transaction)
        return .version(
            of: [
                auditName, "\(teamID.rawValue)", name, scopes.text, notificationURL ?? "", backChannelLogoutURL ?? "",
                "\(requiresProofKey)", "\(asksEveryTime)", "\(logoutNeedsSession)",
                removedAt == nil ? "" : "removed", iconID ?? "",
                offer.map { "\($0.to.rawValue)" } ?? "",
            ] + localizedNames.sorted { $0.key < $1.key }.flatMap { ["name", $0.key, $0.value] } + clients + ["return"]
                + (try App.returnURLs(of: id, in: transaction))
                + ["sign-out"] + (try App.signOutURLs(of: id, in: transaction))
                // Without any, the version is what it was before there were domains.
                + (domains.isEmpty ? [] : ["domains"] + domains))
    }

    /// The app as it is after a change.
    func anew(in transaction: some Transaction) throws -> App { try App.find(id, in: transaction) ?? self }
}

extension Act {
    /// Records for each organization what has become of its consent for an app.
    func record(_ consents: [Consent], to app: App, _ action: AuditEntry.Action, _ detail: (Consent) -> String) throws {
        for consent in consents {
            guard let organization = try Organization.find(consent.organizationID, in: transaction) else { continue }
            try record(
                action, on: AppConsent(consent: consent, app: app, organization: organization),
                called: organization.name, detail(consent))
        }
    }
}
