import Authorization
import Directory
import Foundation
import Storage

/// One of the two rules of an organization about apps. The operations on them are the same, but need other privileges.
package protocol AppRule: Sendable {
    static var purpose: AccessRule.Purpose { get }
    static var privilege: Privilege { get }
}

/// To which apps people may sign in.
package enum SigningIn: AppRule {
    package static let purpose = AccessRule.Purpose.signIn
    package static let privilege = Privilege.manageSignInApps
}

/// Which apps may ask for consent, and read people and classes.
package enum DataSharing: AppRule {
    package static let purpose = AccessRule.Purpose.dataSharing
    package static let privilege = Privilege.shareData
}

extension AppRule {
    static func name(_ verb: String) -> String { "access.\(purpose.word).\(verb)" }
    static func route(_ method: OperationRoute.Method, _ path: String = "") -> OperationRoute {
        OperationRoute(method, "access/\(purpose.word)\(path)")
    }

    /// What the rule is about, in the documentation of the API.
    static var words: String {
        switch purpose {
        case .signIn: "to which apps people sign in"
        case .dataSharing: "which apps may ask for consent and read people and classes"
        }
    }
}

/// A rule as it is now.
package struct OrganizationRule: OperationSubject {
    let organization: Organization
    let purpose: AccessRule.Purpose
    let rule: AccessRule

    init(_ purpose: AccessRule.Purpose, of organization: Organization, _ transaction: some Transaction) throws {
        self.organization = organization
        self.purpose = purpose
        rule = try AccessRule.find(purpose, of: organization.id, in: transaction)
    }

    /// For a change.
    /// - Throws: ``OperationError/refused(_:remedy:)`` for a business, which has no roster to share.
    init<Rule: AppRule>(
        _: Rule.Type, toChangeIn context: OperationContext, _ transaction: some Transaction
    ) throws {
        let organization = try context.organizationToChange(transaction)
        guard organization.kind == .school || Rule.purpose == .signIn else {
            throw OperationError.refused("\(organization.name) is a business; only schools have rosters to share.")
        }
        try self.init(Rule.purpose, of: organization, transaction)
    }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { purpose.word }

    /// A rule is about the people of all places.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) -> String? { "\(rule.version)" }
}

/// What administrators see of a rule.
package struct AccessRecord: Codable, Equatable, Sendable, Versioned {
    package struct ListedApp: Codable, Equatable, Sendable {
        /// The number of `app:`.
        package let number: Int64
        package let name: String
        package let clientID: String
        /// Whether the organization has also given its consent.
        package let isConnected: Bool
    }

    /// `sign-in` or `data-sharing`.
    package let purpose: String
    package let organization: String
    package let organizationName: String
    package let mode: AccessRule.Mode
    /// The number of changes so far. Refusals in the log contain it.
    package let changes: Int
    package let apps: [ListedApp]

    package var version: String { "\(changes)" }

    private enum CodingKeys: String, CodingKey {
        case purpose, organization, organizationName, mode, apps
        case changes = "version"
    }

    init(_ subject: OrganizationRule, at now: Date, in transaction: some Transaction) throws {
        let organization = subject.organization
        let rule = try AccessRule.find(subject.purpose, of: organization.id, in: transaction)
        purpose = subject.purpose.word
        self.organization = organization.publicID
        organizationName = organization.name
        mode = rule.mode
        changes = rule.version
        apps = try rule.listed.compactMap { id in
            guard let app = try App.find(id, in: transaction), app.removedAt == nil else { return nil }
            return ListedApp(
                number: id.rawValue, name: app.name, clientID: try App.clientIDs(of: id, in: transaction).first ?? "",
                isConnected: try Consent.living(app: id, organization: organization.id, at: now, in: transaction) != nil
            )
        }
    }
}
