import Authorization
import Directory
import Foundation
import Storage

/// An entry of the audit trail. Who and what it names are ids; their names are beside the list.
package struct AuditLine: Codable, Equatable, Sendable {
    package let number: Int
    package let at: Date
    package let actor: String
    package let action: String
    package let subject: String
    package let outcome: String
    package let detail: String
    package let origin: String

    init(_ record: AuditRecord) {
        number = record.sequence
        at = record.at
        actor = record.actor
        action = record.action
        subject = record.subject
        outcome = record.outcome
        detail = record.detail
        origin = record.origin
    }
}

/// Lists entries of the audit trail, the newest first.
package struct ListAudit: Inquiry {
    package static let name = "audit.list"
    package static let summary = "Lists entries of the audit trail, the newest first."
    package static let privilege = Privilege.readAudit
    package static let route = OperationRoute(.get, "audit")
    package static let explanations = [
        "person":
            "Only what this person did, or what was done to them: user name, person id, or number, such as `PE-12`.",
        "app": "Only what is about this app, or what it did: a client id, its exact name, or `app:` and its number.",
        "action": "Only this action, such as `person.changed`, or those that begin with this word, such as `person`.",
        "at":
            "Only what concerns this location: itself, and whoever holds a role there at the time. Its id, its name, or `LO:` and its number.",
        "from": "Only from this time on.",
        "until": "Only before this time.",
        "outcome": "Only what was done, or what was refused.",
        "ofServer": "Of the server itself: apps, teams, keys and personal accounts. Only the operator sees it.",
        "before": "The number before which the page begins: `next` of the page before.",
        "limit": "How many at most, up to 1 000. A page can have fewer and be followed by another one.",
    ]

    package struct Answer: Codable, Sendable {
        package let entries: [AuditLine]
        /// The names for the ids in the entries, such as `person:12`: only names that the caller may see.
        package let names: [String: String]
        /// The `before` of the next page; nil on the last one.
        package let next: Int?

        package init(entries: [AuditLine], names: [String: String], next: Int?) {
            self.entries = entries
            self.names = names
            self.next = next
        }
    }

    package let person: PersonReference?
    package let app: AppReference?
    package let action: String?
    package let at: LocationReference?
    package let from: Date?
    package let until: Date?
    package let outcome: AuditEntry.Outcome?
    package let ofServer: Bool?
    package let before: Int?
    package let limit: Int?

    package static let limitMax = 1_000

    package init(
        person: PersonReference? = nil, app: AppReference? = nil, action: String? = nil, at: LocationReference? = nil,
        from: Date? = nil, until: Date? = nil, outcome: AuditEntry.Outcome? = nil, ofServer: Bool? = nil,
        before: Int? = nil, limit: Int? = nil
    ) {
        self.person = person
        self.app = app
        self.action = action
        self.at = at
        self.from = from
        self.until = until
        self.outcome = outcome
        self.ofServer = ofServer
        self.before = before
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AuditTrail {
        guard ofServer == true else {
            return AuditTrail(organization: try context.requiredOrganization(transaction))
        }
        guard at == nil else {
            throw OperationError.invalid(field: "location", reason: "belongs to no trail of the server")
        }
        return AuditTrail(organization: nil)
    }

    package func answer(
        about trail: AuditTrail, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        var filter = AuditFilter()
        filter.from = from
        filter.until = until
        filter.outcome = outcome
        if let person { filter.mentioning.append([.person(try person.find(in: context, transaction).id)]) }
        if let app { filter.mentioning.append(try app.find(transaction).auditMentions(in: transaction)) }
        if let at, let organization = trail.organization {
            filter.mentioning.append([.location(try at.find(in: organization, transaction).id)])
        }
        if let action { filter.mentioning.append(try Self.actions(action).map(AuditMention.action)) }
        let page = try AuditRecord.page(
            of: trail.organization, matching: filter, before: before, limit: limit, in: transaction)
        var names = AuditNames(for: context.authority, in: trail.organization)
        for record in page.records { try names.add(record, transaction) }
        return Answer(entries: page.records.map(AuditLine.init), names: names.names, next: page.next)
    }

    /// The action of this name, or those of which it is the first word.
    private static func actions(_ text: String) throws -> [AuditEntry.Action] {
        if let action = AuditEntry.Action(rawValue: text) { return [action] }
        let group = AuditEntry.Action.allCases.filter { $0.rawValue.hasPrefix(text + ".") }
        guard !group.isEmpty else {
            throw OperationError.invalid(
                field: "action",
                reason: "is none that the audit trail has, such as `person.changed`, nor the first word of one")
        }
        return group
    }
}

extension AuditRecord {
    /// - Throws: ``OperationError/invalid(field:reason:)``
    static func page(
        of organization: Organization?, matching filter: AuditFilter, before: Int?, limit: Int?,
        in transaction: some Transaction
    ) throws -> AuditPage {
        let limit = try PageLimit.check(limit, atMost: ListAudit.limitMax)
        if let from = filter.from, let until = filter.until, from >= until {
            throw OperationError.invalid(field: "from", reason: "is not before until")
        }
        let page = try AuditRecord.page(
            of: organization?.id, matching: filter, before: before, limit: limit, in: transaction)
        guard let page else {
            throw OperationError.invalid(field: "before", reason: "is the number of no entry")
        }
        return page
    }
}
