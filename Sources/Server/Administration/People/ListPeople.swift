import Directory
import Storage

/// Lists people, deactivated ones included, page by page. Callers who may see only a part of the organization get that
/// part.
package struct ListPeople: Inquiry {
    package static let name = "person.list"
    package static let summary = "Lists people, deactivated ones included."
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "people")
    package static let explanations = [
        "personal": "Only personal accounts, which belong to no organization.",
        "role": "Only who holds this role anywhere, also if it is over or has not begun, as its days say.",
        "at": "Only who holds a role at this location: its id, its name, or `LO:` and its number.",
        "class": "Only who teaches or learns in this class: its id, its name, or `CL-` and its number.",
        "state": "Only who is in this state.",
        "text":
            "Only who has each of these words in a name, user name, email address or person id; or this number. 16 words at most.",
        "after": "The number after which the page begins: `next` of the page before.",
        "limit": "How many, 10 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        package let people: [PersonRecord]
        /// The `after` of the next page; nil on the last one.
        package let next: Int64?
    }

    /// Only personal accounts, which belong to no organization.
    package let personal: Bool?
    /// Only people who hold this role, at any place.
    package let role: Role?
    /// Only people who hold a role at this location.
    package let at: LocationReference?
    /// Only people who teach or learn in this class.
    package let `class`: ClassReference?
    package let state: Person.State?
    /// Only people with each of these words in a name, user name, email address or person id; or with this number.
    package let text: String?
    /// The `next` of the page before this one; nil for the first page.
    package let after: Int64?
    package let limit: Int?

    package static let limitMax = 10_000

    package init(
        personal: Bool? = nil, role: Role? = nil, at: LocationReference? = nil,
        class rosterClass: ClassReference? = nil,
        state: Person.State? = nil, text: String? = nil, after: Int64? = nil, limit: Int? = nil
    ) {
        self.personal = personal
        self.role = role
        self.at = at
        self.class = rosterClass
        self.state = state
        self.text = text
        self.after = after
        self.limit = limit
    }

    package static func people(in answer: Answer) -> [PersonID]? {
        answer.people.map { PersonID(rawValue: $0.number) }
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Listing {
        guard personal != true else {
            guard role == nil, at == nil, self.class == nil else {
                throw OperationError.invalid(
                    field: "role, location or class", reason: "goes with no personal account: those have none")
            }
            return Listing(organization: nil)
        }
        return Listing(organization: try context.requiredOrganization(transaction))
    }

    package func answer(
        about subject: Listing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: Self.limitMax)
        let organization = subject.organization
        let filter = PersonFilter(
            role: role, state: state, location: try organization.flatMap { try at?.find(in: $0, transaction).id },
            rosterClass: try organization.flatMap { try self.class?.find(in: $0, transaction) }, text: text,
            within: context.authority.reach(of: Self.privilege))
        let found = try Person.page(
            of: organization?.id, matching: filter, after: PersonID(rawValue: after ?? 0), limit: limit + 1,
            in: transaction)
        let page = found.prefix(limit)
        return Answer(
            people: try PersonRecord.list(Array(page), in: transaction),
            next: found.count > limit ? page.last?.id.rawValue : nil)
    }
}
