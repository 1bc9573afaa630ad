import Directory
import Storage

/// Lists classes page by page. Whoever may see a part of the organization only gets that part.
package struct ListClasses: Inquiry {
    package static let name = "class.list"
    package static let summary = "Lists classes: those that apps see, or the archived ones."
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "classes")
    package static let explanations = [
        "archived": "Lists the archived classes in place of the others.",
        "at": "Only those of this location: its id, its name, or `LO:` and its number.",
        "term": "Only those of this term, by its exact name.",
        "person":
            "Only those in which this person teaches or learns: user name, person id, or number, such as `PE-12`.",
        "text":
            "Only those with each of these words in a name, the number or the class id, or with this number. 16 words at most.",
        "after": "The number after which the page begins: `next` of the page before.",
        "limit": "How many, 10 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        package let classes: [ClassSummary]
        /// The `after` of the next page; nil on the last one.
        package let next: Int64?
    }

    package let archived: Bool?
    package let at: LocationReference?
    package let term: TermReference?
    package let person: PersonReference?
    package let text: String?
    /// The number after which the page begins.
    package let after: Int64?
    package let limit: Int?

    package static let limitMax = 10_000

    package init(
        archived: Bool? = nil, at: LocationReference? = nil, term: TermReference? = nil,
        person: PersonReference? = nil, text: String? = nil, after: Int64? = nil, limit: Int? = nil
    ) {
        self.archived = archived
        self.at = at
        self.term = term
        self.person = person
        self.text = text
        self.after = after
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Listing {
        Listing(organization: try context.requiredOrganization(transaction))
    }

    package func answer(
        about subject: Listing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: Self.limitMax)
        let organization = try subject.organization ?? context.requiredOrganization(transaction)
        var filter = ManagedClass.Filter()
        filter.isArchived = archived ?? false
        filter.location = try at?.find(in: organization, transaction).id
        filter.term = try term?.find(in: organization, transaction).id
        filter.member = try person.map { try member($0, in: context, transaction) }
        filter.text = text
        filter.reach = context.authority.reach(of: Self.privilege)
        let found = try ManagedClass.page(
            of: organization.id, matching: filter, after: ClassID(rawValue: after ?? 0), limit: limit + 1,
            in: transaction)
        let page = found.prefix(limit)
        return Answer(
            classes: try page.map { try ClassSummary($0, in: transaction) },
            next: found.count > limit ? page.last?.id.rawValue : nil)
    }

    /// The person whose classes are asked for. A caller who may not read the person must not learn their classes.
    private func member(
        _ reference: PersonReference, in context: OperationContext, _ transaction: some Transaction
    ) throws -> PersonID {
        let person = try reference.find(in: context, transaction)
        guard try person.isOpen(to: context.authority, for: Self.privilege, in: transaction) else {
            throw OperationError.forbidden(Self.privilege)
        }
        return person.id
    }
}
