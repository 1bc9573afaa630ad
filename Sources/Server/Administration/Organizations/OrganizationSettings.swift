import Directory
import Foundation
import RosterFiles
import Storage

/// What administrators decide about an organization as a whole.
package struct OrganizationSettings: OperationSubject {
    let organization: Organization
    let thresholds: ImportThresholds
    let locations: LocationDefaults
    let factors: FactorRule

    /// - Parameter organization: is read anew, because it can have been changed in the transaction.
    init(_ organization: Organization, in transaction: some Transaction) throws {
        self.organization = try Organization.find(organization.id, in: transaction) ?? organization
        thresholds = try ImportThresholds.find(for: organization.id, in: transaction)
        locations = try LocationDefaults.find(of: organization.id, in: transaction)
        factors = try FactorRule.find(of: organization.id, in: transaction)
    }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) -> String? { version }

    /// Changes with the settings, and not with the people and classes of the organization.
    var version: String {
        let parts = [
            organization.name, organization.colour?.rawValue ?? "", organization.userNameFormatText,
            "\(organization.asksEveryTime)", "\(thresholds.removedPercent)", "\(thresholds.changedPercent)",
            "\(thresholds.replacedMax)", "\(thresholds.renamedPercent)", locations.domainName ?? "",
            locations.timeZone ?? "", factors.holders.map(\.rawValue).sorted().joined(separator: " "),
            "\(factors.graceDays)", organization.pictureID ?? "",
            organization.rules.sessionHours.map(String.init) ?? "",
            organization.rules.idleMinutes.map(String.init) ?? "", organization.rules.language ?? "",
            organization.rules.termsURL ?? "",
        ]
        return .version(of: parts.joined(separator: "\u{0}").utf8)
    }
}

extension OperationContext {
    /// For a change of the settings.
    func settingsToChange(_ transaction: some Transaction) throws -> OrganizationSettings {
        try OrganizationSettings(try organizationToChange(transaction), in: transaction)
    }
}
