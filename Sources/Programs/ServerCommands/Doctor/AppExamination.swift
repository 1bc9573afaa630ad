import Authorization
import CommandOutput
import Directory
import Foundation
import Storage

/// Checks one app.
struct AppExamination<Snapshot: Transaction> {
    let app: App
    let baseURL: String
    let transaction: Snapshot

    private let check = "apps"

    func findings() throws -> [Finding] {
        let living = try Consent.list(livingOf: app.id, in: transaction)
        return try keys(living) + addresses() + refusals(living)
    }

    private func keys(_ living: [Consent]) throws -> [Finding] {
        let keys = try TeamKey.list(of: app.teamID, in: transaction)
        if keys.contains(where: { $0.revokedAt == nil }) { return [] }
        let remedy = "Make one with `lanyard key create`, and hand it to the team."
        if keys.isEmpty {
            return [.warning(check, "The team of \(app.name) has no key, so the app gets no tokens.", remedy: remedy)]
        }
        return [
            .warning(
                check,
                living.isEmpty
                    ? "Every key of the team of \(app.name) is revoked."
                    : "\(app.name) is connected to \(living.count) organizations, but every key of its team is revoked.",
                remedy: remedy)
        ]
    }

    private func addresses() throws -> [Finding] {
        var findings: [Finding] = []
        let returnURLs = try App.returnURLs(of: app.id, in: transaction)
        let clientID = try App.clientIDs(of: app.id, in: transaction).first ?? app.name
        if returnURLs.isEmpty {
            findings.append(
                .warning(
                    check, "\(app.name) has no return URL, so nobody can allow it anything.",
                    remedy: "Add one with `lanyard app set \(clientID) --add-return-url …`."))
        }
        if app.notificationURL == nil {
            findings.append(
                .warning(
                    check, "\(app.name) has no notification URL, so it is not told when a consent is revoked.",
                    remedy: "Set one with `lanyard app set \(clientID) --notification-url …`."))
        }
        let insecure = (returnURLs + [app.notificationURL].compactMap { $0 }).filter { $0.hasPrefix("http://") }
        if !insecure.isEmpty, !SettingsExamination.isLoopback(baseURL) {
            findings.append(
                .warning(
                    check, "\(app.name) has addresses for development: \(insecure.joined(separator: ", ")).",
                    remedy: "Take them away with `lanyard app set \(clientID) --remove-return-url …`."))
        }
        return findings
    }

    /// Consents that are in force although the app cannot read.
    private func refusals(_ living: [Consent]) throws -> [Finding] {
        try living.compactMap { consent in
            guard let organization = try Organization.find(consent.organizationID, in: transaction),
                case .refused(let reason) = try DataSharingAccess.decide(
                    app: app, organization: organization, in: transaction)
            else { return nil }
            return .warning(
                check, "\(organization.name) has allowed \(app.name) to read, but \(reason.text).",
                remedy:
                    "Put it on the list with `lanyard access allow`, or end the consent with `lanyard consent revoke`.")
        }
    }
}
