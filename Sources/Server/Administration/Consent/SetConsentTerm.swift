import Authorization
import Directory
import Storage

/// Says how long the consents of an organization last.
package struct SetConsentTerm: Change {
    package typealias Answer = ConsentTermRecord

    package static let name = "consent.term"
    package static let summary = """
        Says how long consents last that are given or renewed from now on. Those that there are keep their end.
        """
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.post, "consents/term")
    package static let explanations = [
        "ends": "`year` from the day on which it is given, a day of each year such as `07-31`, or `unlimited`."
    ]
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false

    package let ends: String

    package init(ends: String) { self.ends = ends }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ConsentRules {
        ConsentRules(organization: try context.organizationToChange(transaction))
    }

    package func carryOut(on rules: ConsentRules, _: Void, in act: Act) throws -> ConsentTermRecord {
        let organization = rules.organization
        guard organization.kind == .school else {
            throw OperationError.refused("\(organization.name) is a business; only schools have rosters to share.")
        }
        guard let term = ConsentTerm(ends) else {
            throw OperationError.invalid(
                field: "ends", reason: "is none of year, unlimited, and a day of each year such as 07-31")
        }
        let former = try ConsentTerm.find(of: organization.id, in: act.transaction)
        guard term != former else {
            throw OperationError.refused("The consents of \(organization.name) last as long already.")
        }
        try term.put(for: organization.id, in: act.transaction)
        try act.record(
            .consentTermChanged, on: rules, called: organization.name, "\(former.text) → \(term.text)")
        act.undo(by: SetConsentTerm(ends: former.text))
        return ConsentTermRecord(term: term.text, lastDay: term.lastDay(from: CalendarDay(act.now)))
    }
}

/// How long consents last.
package struct ConsentTermRecord: Codable, Sendable {
    package let term: String
    /// The last day of a consent that is given today; nil for no end.
    package let lastDay: CalendarDay?
}

/// What an organization has decided about its consents as a whole.
package struct ConsentRules: OperationSubject {
    let organization: Organization

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    /// The term itself, which ``ListConsents`` tells.
    package func version(in transaction: some Transaction) throws -> String? {
        try ConsentTerm.find(of: organization.id, in: transaction).text
    }
}
