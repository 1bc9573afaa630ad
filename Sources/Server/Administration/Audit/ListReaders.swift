import Authorization
import Directory
import Foundation
import Storage

/// Says who has read data of one person, when, and which fields: what parents ask.
///
/// The answer comes from the audit trail. An entry about a page of a list names each record that was read, and is found
/// by the blocks of ids that it touches, so that no row is written for each child and page.
package struct ListReaders: Inquiry {
    package static let name = "audit.readers"
    package static let summary = "Says who has read data of one person, when, and which fields; the newest first."
    package static let privilege = Privilege.readAudit
    package static let route = OperationRoute(.get, "people/{person}/readers")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`.",
        "from": "Only from this time on.",
        "until": "Only before this time.",
        "before": "The number before which the page begins: `next` of the page before.",
        "limit": "How many at most, up to 1 000. A page can have fewer and be followed by another one.",
    ]

    package struct Answer: Codable, Sendable {
        package let readings: [Reading]
        /// The names for the ids in the readings: only names that the caller may see.
        package let names: [String: String]
        /// The `before` of the next page; nil on the last one.
        package let next: Int?
    }

    package let person: PersonReference
    package let from: Date?
    package let until: Date?
    package let before: Int?
    package let limit: Int?

    package init(
        person: PersonReference, from: Date? = nil, until: Date? = nil, before: Int? = nil, limit: Int? = nil
    ) {
        self.person = person
        self.from = from
        self.until = until
        self.before = before
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.find(in: context, transaction)
    }

    package func answer(
        about person: Person, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        // A reading of a record that was merged into this one was a reading of the same person.
        let people = [person.id] + (try PersonMerge.origins(of: person.id, in: transaction))
        let organization = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
        let page = try Self.readings(
            of: people, in: organization, from: from, until: until, before: before, limit: limit, transaction)
        var names = AuditNames(for: context.authority, in: organization)
        for reading in page.readings { try names.add(reading.reader, transaction) }
        return Answer(readings: page.readings, names: names.names, next: page.next)
    }

    /// A page of the readings of one person, the newest first.
    /// - Parameter people: the person's record, and those that were merged into it.
    static func readings(
        of people: [PersonID], in organization: Organization?, from: Date? = nil, until: Date? = nil, before: Int?,
        limit: Int?, _ transaction: some Transaction
    ) throws -> (readings: [Reading], next: Int?) {
        let classes = try people.flatMap { try RosterClass.ids(of: $0, in: transaction) }
        let mentions =
            [.everybody] + people.map(AuditMention.person)
            + people.flatMap { AuditMention.blocks(of: .people, around: $0.rawValue) }
            + classes.flatMap { AuditMention.blocks(of: .classes, around: $0.rawValue) }
        var filter = AuditFilter()
        filter.from = from
        filter.until = until
        filter.mentioning = [
            Set(mentions).sorted(),
            [
                .rosterRead, .administrationRead, .appSignIn, .rosterExported, .personExported,
                .organizationHandedOver,
            ].map(AuditMention.action),
        ]
        let page = try AuditRecord.page(
            of: organization, matching: filter, before: before, limit: limit, in: transaction)
        return (page.records.compactMap { Reading($0, of: people, in: classes) }, page.next)
    }
}
