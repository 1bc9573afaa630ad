import Directory
import Storage

/// Lists the locations: schools, buildings, offices.
package struct ListLocations: Inquiry {
    package static let name = "location.list"
    package static let summary = "Lists the locations: schools, buildings, offices."
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "locations")
    package static let explanations = [
        "removed": "Lists the removed locations in place of the others.",
        "text":
            "Only those with each of these words in the name, the location id or the domain, or with this number. 16 words at most.",
        "after": "The number after which the page begins: `next` of the page before.",
        "limit": "How many, 10 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        package let locations: [LocationRecord]
        /// The `after` of the next page; nil on the last one.
        package let next: Int64?
    }

    package let removed: Bool?
    package let text: String?
    package let after: Int64?
    package let limit: Int?

    package static let limitMax = 10_000

    package init(removed: Bool? = nil, text: String? = nil, after: Int64? = nil, limit: Int? = nil) {
        self.removed = removed
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
        let found = try Location.page(
            of: organization.id, matching: text, isArchived: removed ?? false, after: LocationID(rawValue: after ?? 0),
            limit: limit + 1, in: transaction)
        let page = found.prefix(limit)
        return Answer(
            locations: page.map(LocationRecord.init), next: found.count > limit ? page.last?.id.rawValue : nil)
    }
}
