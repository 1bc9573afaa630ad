import Authorization
import Directory
import Foundation
import Storage

/// A change that can be undone, or was undone.
package struct ChangeSummary: Codable, Equatable, Sendable {
    /// The number with which it is undone.
    package let change: Int64
    package let at: Date
    /// As the audit trail writes it, for example `person:12`.
    package let actor: String
    package let operation: String
    /// As the audit trail writes it.
    package let subject: String
    package let undoneAt: Date?

    /// A page of what can be taken back, the newest first.
    package struct Page: Codable, Sendable {
        package let changes: [ChangeSummary]
        /// The `before` of the next page; nil on the last one.
        package let next: Int64?
    }

    static let limitMax = 1_000

    /// - Parameter condition: which changes are listed, in SQL with `owner` as `$1`.
    /// - Throws: ``OperationError/invalid(field:reason:)``
    static func page(
        where condition: String, _ owner: any SQLConvertible, before: Int64?, limit: Int?,
        in transaction: some Transaction
    ) throws -> Page {
        let limit = try PageLimit.check(limit, atMost: limitMax)
        let found = try transaction.all(
            """
            SELECT id, at, actor, operation, subject, undone_at FROM administration_change
            WHERE \(condition) AND id < $2 ORDER BY id DESC LIMIT $3
            """, [owner, before ?? Int64.max, limit + 1]
        ) { row in
            ChangeSummary(
                change: try row["id"], at: try row["at"], actor: try row["actor"], operation: try row["operation"],
                subject: try row["subject"], undoneAt: try row["undone_at"])
        }
        let page = Array(found.prefix(limit))
        return Page(changes: page, next: found.count > limit ? page.last?.change : nil)
    }
}

/// Lists the changes that can be undone, the newest first.
package struct ListChanges: Inquiry {
    package static let name = "change.list"
    package static let summary = "Lists the changes that can be taken back, and those that were, the newest first."
    package static let privilege = Privilege.readAudit
    package static let route = OperationRoute(.get, "changes")
    package static let explanations = [
        "before": "The number before which the page begins: `next` of the page before.",
        "limit": "How many, 1 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        package let changes: [ChangeSummary]
        /// The names for the ids in the changes: only names that the caller may see.
        package let names: [String: String]
        /// The `before` of the next page; nil on the last one.
        package let next: Int64?
    }

    package let before: Int64?
    package let limit: Int?

    package init(before: Int64? = nil, limit: Int? = nil) {
        self.before = before
        self.limit = limit
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let page = try ChangeSummary.page(
            where: "organization_id = $1", organization.id, before: before, limit: limit, in: transaction)
        var names = AuditNames(for: context.authority, in: organization)
        for change in page.changes { for id in [change.actor, change.subject] { try names.add(id, transaction) } }
        return Answer(changes: page.changes, names: names.names, next: page.next)
    }
}

/// Lists the changes of a team that can be taken back.
package struct ListTeamChanges: Inquiry, TeamOperation {
    package typealias Answer = ChangeSummary.Page

    package static let name = "team.changes"
    package static let summary = """
        Lists the changes of a team and its apps that can be taken back, and those that were, the newest first.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.get, "teams/{team}/changes", below: .server)
    package static let explanations = ListChanges.explanations.merging(["team": TeamReference.explanation]) { $1 }

    package let team: TeamReference
    package let before: Int64?
    package let limit: Int?

    package init(team: TeamReference, before: Int64? = nil, limit: Int? = nil) {
        self.team = team
        self.before = before
        self.limit = limit
    }

    package func answer(
        about team: Team, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        try ChangeSummary.page(where: "team_id = $1", team.id, before: before, limit: limit, in: transaction)
    }
}
