import Directory
import Foundation
import Storage

/// Sets a retention rule, or takes it away. A rule says after how many days people who have left, unused accounts,
/// traces of sessions, or imports go. Where there is no rule, nothing goes by itself.
package struct SetRetention: Change {
    package typealias Answer = RetentionRecord

    package static let name = "retention.set"
    package static let summary = "Sets after how many days people who have left, unused accounts, traces or imports go."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.post, "retention/{kind}")
    package static let explanations = [
        "kind": """
        `left-people`: people who were deactivated so long ago are erased. `unused-accounts`: accounts kept by hand with \
        which nobody has signed in for so long are deactivated. `sessions`: browsers and sessions that were not used for \
        so long are forgotten. `imports`: the history forgets imports, but for the newest.
        """,
        "days": "After how many days, from 1 to 36 500; no rule if it is left out.",
    ]
    /// Undoing restores the former rule. People whom the rule has erased meanwhile do not come back.
    package static let undo = UndoRule.possible

    package let kind: RetentionRule.Kind
    package let days: Int?

    package init(kind: RetentionRule.Kind, days: Int?) {
        self.kind = kind
        self.days = days
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RetentionSubject {
        try RetentionSubject(kind, in: try context.organizationToChange(transaction), transaction)
    }

    package func carryOut(on subject: RetentionSubject, _: Void, in act: Act) throws -> RetentionRecord {
        let (organization, former) = (subject.organization, subject.days)
        guard former != days else {
            throw OperationError.refused(
                days.map { "\(kind.rawValue) go after \($0) days already." } ?? "There is no rule for \(kind.rawValue)."
            )
        }
        if let days { try RetentionRecord.check(days) }
        try RetentionRule.set(kind, days: days, for: organization.id, in: act.transaction)
        try act.record(
            .retentionChanged, on: organization, called: organization.name,
            days.map { "\(kind.rawValue) after \($0) days" } ?? "no rule for \(kind.rawValue)")
        act.undo(by: SetRetention(kind: kind, days: former))
        let due = try days.map {
            try RetentionRecord.count(kind, days: $0, in: organization, at: act.now, act.transaction)
        }
        if let days, let due {
            try KeptNumbers.note(of: organization.id, in: act.transaction) { $0.set(due, kind, days: days) }
        }
        // A rule that was just set was not applied yet.
        return RetentionRecord(
            kind, days: days, due: due, appliedOn: nil,
            stoppedBy: try LegalHold.coveringAll(of: organization.id, at: act.now, in: act.transaction))
    }
}

/// A rule of an organization, also one that is not set.
package struct RetentionSubject: OperationSubject {
    let organization: Organization
    /// Nil if there is no rule.
    let days: Int?

    init(_ kind: RetentionRule.Kind, in organization: Organization, _ transaction: some Transaction) throws {
        self.organization = organization
        days = try RetentionRule.list(of: organization.id, in: transaction).first { $0.kind == kind }?.days
    }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) -> String? { Self.version(of: days) }

    /// That the server has applied the rule makes no other one of it.
    static func version(of days: Int?) -> String { days.map(String.init) ?? .versionOfNothing }
}

/// What administrators see of a rule.
package struct RetentionRecord: Codable, Equatable, Sendable, Versioned {
    package let kind: RetentionRule.Kind
    /// Nil if there is no rule, and nothing is erased.
    package let days: Int?
    /// How many people, or rows, it is about; nil without a rule. In an organization of more than 2 000 people it is up to
    /// ten minutes old, see ``KeptNumbers``.
    package let due: Int?
    /// The last day on which everything that was due then was done.
    package let appliedOn: String?
    /// The legal hold of the whole organization that stops it now.
    package let stoppedByHold: Int64?
    /// See ``OperationSubject/version(in:)``.
    package let version: String

    init(_ kind: RetentionRule.Kind, days: Int?, due: Int?, appliedOn: CalendarDay?, stoppedBy hold: LegalHold?) {
        self.kind = kind
        self.days = days
        self.due = due
        self.appliedOn = appliedOn?.text
        stoppedByHold = hold?.id.rawValue
        version = RetentionSubject.version(of: days)
    }

    /// - Throws: ``OperationError/invalid(field:reason:)``
    static func check(_ days: Int) throws {
        guard (1...RetentionRule.daysMax).contains(days) else {
            throw OperationError.invalid(field: "days", reason: "are not between 1 and \(RetentionRule.daysMax)")
        }
    }

    static func count(
        _ kind: RetentionRule.Kind, days: Int, in organization: Organization, at now: Date,
        _ transaction: some Transaction
    ) throws -> Int {
        let cutoff = RetentionRule.cutoff(days, at: now)
        let rows = try RetentionRule.countDueRows(
            kind, of: organization.id, before: cutoff, at: now, in: transaction)
        return try rows
            + DuePerson.count(kind, of: organization, before: cutoff, at: now, transaction)
    }
}

/// Lists the rules of all kinds, also those that are not set.
package struct ListRetention: Inquiry {
    package static let name = "retention.list"
    package static let summary = "Lists after how many days what is erased, and how much is due now."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.get, "retention")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let rules: [RetentionRecord]
    }

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let rules = try RetentionRule.list(of: organization.id, in: transaction)
        let hold = try LegalHold.coveringAll(of: organization.id, at: context.now, in: transaction)
        let kept = try KeptNumbers.find(of: organization.id, in: transaction)
        return Answer(
            rules: try RetentionRule.Kind.allCases.map { kind in
                let rule = rules.first { $0.kind == kind }
                let due = try rule.map { rule in
                    try kept?.due(kind, days: rule.days)
                        ?? RetentionRecord.count(
                            kind, days: rule.days, in: organization, at: context.now, transaction)
                }
                return RetentionRecord(
                    kind, days: rule?.days, due: due, appliedOn: rule?.appliedOn, stoppedBy: hold)
            })
    }
}

/// Who is due by a rule, whether it is set or only thought of.
package struct ShowDue: Inquiry {
    package static let name = "retention.due"
    package static let summary = "Says who is due by a rule, also by one that is not set: its preview."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.get, "retention/{kind}/due")
    package static let explanations = [
        "kind": "`left-people`, `unused-accounts`, `sessions` or `imports`.",
        "days": "After how many days; those of the rule if it is left out.",
        "after": "The number after which the page begins: `next` of the page before.",
        "limit": "How many, 1 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        package let days: Int
        package let people: [DuePerson]
        /// How many rows are due, for the rules about sessions and imports; 0 for the rules about people.
        package let rows: Int
        /// The `after` of the next page; nil on the last one.
        package let next: Int64?
    }

    package let kind: RetentionRule.Kind
    package let days: Int?
    package let after: Int64?
    package let limit: Int?

    package init(kind: RetentionRule.Kind, days: Int? = nil, after: Int64? = nil, limit: Int? = nil) {
        self.kind = kind
        self.days = days
        self.after = after
        self.limit = limit
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: 1_000)
        let rule = try RetentionRule.list(of: organization.id, in: transaction).first { $0.kind == kind }
        guard let days = days ?? rule?.days else {
            throw OperationError.invalid(field: "days", reason: "are missing: there is no rule for \(kind.rawValue)")
        }
        try RetentionRecord.check(days)
        let cutoff = RetentionRule.cutoff(days, at: context.now)
        let found = try RetentionRule.duePeople(
            kind, of: organization.id, before: cutoff, after: PersonID(rawValue: after ?? 0), limit: limit + 1,
            in: transaction)
        let page = found.prefix(limit)
        return Answer(
            days: days,
            people: try page.map { try DuePerson($0, kind, in: organization, at: context.now, transaction) },
            rows: try RetentionRule.countDueRows(
                kind, of: organization.id, before: cutoff, at: context.now, in: transaction),
            next: found.count > limit ? page.last?.id.rawValue : nil)
    }

    package static func people(in answer: Answer) -> [PersonID]? {
        answer.people.map { PersonID(rawValue: $0.number) }
    }
}

/// A person of whom a rule says that they are due.
package struct DuePerson: Codable, Equatable, Sendable {
    package let number: Int64
    package let userName: String
    package let fullName: String
    /// The legal hold that keeps the person; nil if they go.
    package let keptByHold: Int64?

    init(
        _ person: Person, _ kind: RetentionRule.Kind, in organization: Organization, at now: Date,
        _ transaction: some Transaction
    ) throws {
        number = person.id.rawValue
        userName = person.userName
        fullName = person.fullName
        keptByHold = try LegalHold.covering(person.id, of: organization.id, at: now, in: transaction)?.id.rawValue
    }

    /// How many people a rule applies to, those included whom a hold keeps.
    static func count(
        _ kind: RetentionRule.Kind, of organization: Organization, before cutoff: Date, at now: Date,
        _ transaction: some Transaction
    ) throws -> Int {
        var (count, last) = (0, PersonID.none)
        while true {
            let page = try RetentionRule.duePeople(
                kind, of: organization.id, before: cutoff, after: last, limit: 1_000, in: transaction)
            count += page.count
            guard page.count == 1_000, let end = page.last else { return count }
            last = end.id
        }
    }
}
