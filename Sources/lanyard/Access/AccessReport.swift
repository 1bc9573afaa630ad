import Authorization
import Directory
import Foundation
import Storage

/// What commands print of an organization's access rule for data sharing.
struct AccessReport: Encodable, Sendable {
    struct ListedApp: Encodable, Sendable {
        let name: String
        let clientID: String
        /// Whether the organization has given its consent too.
        let isConnected: Bool
    }

    let organization: String
    let organizationName: String
    let mode: AccessRule.Mode
    /// Counts the changes; refusals in the log name it.
    let version: Int
    let apps: [ListedApp]

    init(of organization: Organization, in transaction: some Transaction) throws {
        let rule = try AccessRule.find(of: organization.id, in: transaction)
        self.organization = organization.publicID
        organizationName = organization.name
        mode = rule.mode
        version = rule.version
        apps = try rule.listed.compactMap { id in
            guard let app = try App.find(id, in: transaction), app.removedAt == nil else { return nil }
            return ListedApp(
                name: app.name, clientID: try App.clientIDs(of: id, in: transaction).first ?? "",
                isConnected: try Consent.living(app: id, organization: organization.id, in: transaction) != nil)
        }
    }

    var text: String {
        let head = "\(organizationName): \(mode.words) (version \(version))."
        if apps.isEmpty {
            return mode == .allowOnlyListedApps ? "\(head)\nNo app is on the list, so none can read." : head
        }
        return """
            \(head)

            \(Table.text(["ON THE LIST", "CLIENT ID", "CONNECTED"], apps.map { [$0.name, $0.clientID, $0.isConnected ? "yes" : "no"] }))
            """
    }
}

extension AccessRule.Mode {
    var words: String {
        switch self {
        case .allowAllApps: "all apps may ask for consent and read"
        case .allowOnlyListedApps: "only listed apps may ask for consent and read"
        }
    }
}
