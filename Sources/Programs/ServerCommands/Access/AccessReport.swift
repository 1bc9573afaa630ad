import Authorization
import CommandOutput
import Directory
import Foundation
import Storage

/// The output of commands about one of an organization's access rules.
struct AccessReport: Encodable, Sendable {
    struct ListedApp: Encodable, Sendable {
        let name: String
        let clientID: String
        /// Whether the organization has also given its consent.
        let isConnected: Bool
    }

    let purpose: String
    let organization: String
    let organizationName: String
    let mode: AccessRule.Mode
    /// The number of changes so far. Refusals in the log contain it.
    let version: Int
    let apps: [ListedApp]

    /// How many times the change has signed a person out of an app; nil for the rule of data sharing.
    let signedOut: Int?

    init(
        _ purpose: AccessRule.Purpose, of organization: Organization, signedOut: Int = 0,
        in transaction: some Transaction
    ) throws {
        let rule = try AccessRule.find(purpose, of: organization.id, in: transaction)
        self.purpose = purpose.word
        self.signedOut = purpose == .signIn ? signedOut : nil
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
        let words = mode.words(for: purpose == AccessRule.Purpose.signIn.word)
        var head = "\(organizationName): \(words) (version \(version))."
        if let signedOut, signedOut > 0 { head += "\nSigned out: \(signedOut) people." }
        if apps.isEmpty {
            return mode == .allowOnlyListedApps ? "\(head)\nNo app is on the list." : head
        }
        return """
            \(head)

            \(Table.text(["ON THE LIST", "CLIENT ID", "CONNECTED"], apps.map { [$0.name, $0.clientID, $0.isConnected ? "yes" : "no"] }))
            """
    }
}

extension AccessRule.Mode {
    func words(for isSignIn: Bool) -> String {
        switch self {
        case .allowAllApps:
            isSignIn ? "people can sign in to all apps" : "all apps may ask for consent and read"
        case .allowOnlyListedApps:
            isSignIn ? "people can sign in to listed apps only" : "only listed apps may ask for consent and read"
        }
    }
}
