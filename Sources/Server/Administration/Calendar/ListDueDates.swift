import Directory
import Storage

/// Lists what an organization has to see to, in the order of the days: numbers, and no names of people. In an organization of
/// more than 2 000 people, those of passwords, roles and people who have left are up to ten minutes old, see ``KeptNumbers``.
package struct ListDueDates: Inquiry {
    package static let name = "calendar.list"
    package static let summary = """
        Lists what is due: terms, consents, legal holds and roles that end, temporary passwords that run out, held imports, \
        erasures by rule, and the erasure of a closed organization.
        """
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "calendar")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let dates: [DueDate]
    }

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let counted =
            try KeptNumbers.find(of: organization.id, in: transaction)?.dates
            ?? DueDate.counted(of: organization, at: context.now, in: transaction)
        let dates =
            try DueDate.heldImports(of: organization, in: transaction)
            + DueDate.terms(of: organization, in: transaction)
            + counted
            + DueDate.holds(of: organization, at: context.now, in: transaction)
            + DueDate.consents(of: organization, at: context.now, in: transaction)
            + DueDate.erasure(of: organization, in: transaction)
        return Answer(dates: dates.sorted { $0.on < $1.on })
    }
}
