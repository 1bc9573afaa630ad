import Authorization
import Directory
import Storage

/// Searches among the apps of the server that can be put on the list of a rule.
package struct SearchApps<Rule: AppRule>: Inquiry {
    package typealias Subject = OrganizationRule

    package static var name: String { Rule.name("search") }
    package static var summary: String {
        "Searches among the apps of this server that can be put on the list (\(Rule.words)), in the order of their names."
    }
    package static var privilege: Privilege { Rule.privilege }
    package static var route: OperationRoute { Rule.route(.get, "/search") }
    package static var explanations: [String: String] {
        [
            "text": "Only apps whose name, client id or team has this text; all if it is left out.",
            "after": "The number of the app after which the page begins: `next` of the page before.",
            "limit": "How many, 1 000 at most.",
        ]
    }

    package struct Answer: Codable, Sendable {
        package let apps: [FoundApp]
        /// The `after` of the next page; nil on the last one.
        package let next: Int64?
    }

    package let text: String?
    package let after: Int64?
    package let limit: Int?

    package init(text: String? = nil, after: Int64? = nil, limit: Int? = nil) {
        self.text = text
        self.after = after
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OrganizationRule {
        try OrganizationRule(Rule.purpose, of: try context.requiredOrganization(transaction), transaction)
    }

    package func answer(
        about subject: OrganizationRule, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: 1_000)
        let found = try App.search(
            text, readingRosters: Rule.purpose == .dataSharing, under: subject.rule,
            after: after.map(AppID.init(rawValue:)), limit: limit + 1, in: transaction)
        let page = found.prefix(limit)
        let listed = Set(subject.rule.listed)
        return Answer(
            apps: try page.map { try FoundApp($0, isListed: listed.contains($0.id), in: transaction) },
            next: found.count > limit ? page.last?.id.rawValue : nil)
    }
}

/// An app of the server, as those see it who decide about apps.
package struct FoundApp: Codable, Equatable, Sendable {
    /// The number of `app:`.
    package let number: Int64
    package let name: String
    /// Who makes it.
    package let team: String
    package let clientID: String
    package let isListed: Bool

    init(_ app: App, isListed: Bool, in transaction: some Transaction) throws {
        number = app.id.rawValue
        name = app.name
        team = try Team.find(app.teamID, in: transaction)?.name ?? ""
        clientID = try App.clientIDs(of: app.id, in: transaction).first ?? ""
        self.isListed = isListed
    }
}
