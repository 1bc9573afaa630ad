import Authorization
import Directory
import Foundation
import Storage

/// Lists who was erased, by number, and which apps have not answered that they know, and when the organization was closed
/// and opened again. Kept apart from the copies of the database, it is what erases people again, and keeps closed what was
/// closed, after such a copy was put in place.
package struct ListErasures: Inquiry {
    package static let name = "erasure.list"
    package static let summary = """
        Lists erasures, by number, and which apps have answered that they know of them; and when the organization was closed.
        """
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.get, "erasures")
    package static let explanations = [
        "unacknowledged": "Whether only those are listed of which some app has not answered.",
        "after": "The number after which the page begins: `next` of the page before.",
        "limit": "How many, 1 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        package let erasures: [ErasureRecord]
        /// The `after` of the next page; nil on the last one.
        package let next: Int64?
        /// The closings and reopenings of the organization, oldest first. They are on the first page alone, and not with
        /// `unacknowledged`.
        package let closings: [ClosingRecord]?
    }

    package let unacknowledged: Bool?
    package let after: Int64?
    package let limit: Int?

    package init(unacknowledged: Bool? = nil, after: Int64? = nil, limit: Int? = nil) {
        self.unacknowledged = unacknowledged
        self.after = after
        self.limit = limit
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: 1_000)
        let last = PersonID(rawValue: after ?? 0)
        let found =
            unacknowledged == true
            ? try ErasureNotice.peopleNotAcknowledged(
                of: organization.id, after: last, limit: limit + 1, in: transaction
            ).compactMap { try Erasure.find($0, in: transaction) }
            : try Erasure.page(of: organization.id, after: last, limit: limit + 1, in: transaction)
        let page = found.prefix(limit)
        return Answer(
            erasures: try page.map { try ErasureRecord($0, in: organization, transaction) },
            next: found.count > limit ? page.last?.personID.rawValue : nil,
            closings: after == nil && unacknowledged != true
                ? try ClosingRecord.list(of: organization, in: transaction) : nil)
    }
}

/// A record that was erased.
package struct ErasureRecord: Codable, Equatable, Sendable {
    /// The organization's id.
    package let organization: String
    /// The number that the record had, and has.
    package let number: Int64
    /// When the record was made.
    package let createdAt: Date
    package let erasedAt: Date
    package let apps: [ToldApp]

    package init(_ erasure: Erasure, in organization: Organization, _ transaction: some Transaction) throws {
        self.organization = organization.publicID
        number = erasure.personID.rawValue
        createdAt = erasure.createdAt
        erasedAt = erasure.erasedAt
        apps = try ErasureNotice.list(of: erasure.personID, in: transaction).compactMap { notice in
            try App.find(notice.appID, in: transaction).map { ToldApp(notice, $0) }
        }
    }
}

/// Notes that the makers of an app have said, by a letter or by telephone, that they have erased a person.
package struct AcknowledgeErasure: Change {
    package typealias Answer = ErasureRecord

    package static let name = "erasure.acknowledge"
    package static let summary = "Notes that the makers of an app have said that they have erased a person."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.post, "erasures/{number}/acknowledge")
    package static let explanations = [
        "number": "The number of the record that was erased.",
        "app": "The app: a client id, or the exact name.",
    ]
    package static let undo = UndoRule.impossible("What somebody has said stays said.")
    package static let worksInClosedOrganizations = true

    package let number: String
    package let app: AppReference

    package init(number: String, app: AppReference) {
        self.number = number
        self.app = app
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ErasedRecord {
        let organization = try context.organizationToChange(transaction)
        let digits = number.hasPrefix("PE-") ? String(number.dropFirst(3)) : number
        guard let id = Int64(digits).map(PersonID.init(rawValue:)),
            let erasure = try Erasure.find(id, in: transaction), erasure.organizationID == organization.id
        else { throw OperationError.notFound(.person, number, in: organization.name) }
        return ErasedRecord(erasure: erasure, organization: organization)
    }

    package func carryOut(on erased: ErasedRecord, _: Void, in act: Act) throws -> ErasureRecord {
        let app = try app.find(act.transaction)
        guard
            try ErasureNotice.acknowledge(
                by: app.id, of: erased.erasure.personID, at: act.now, in: act.transaction)
        else {
            throw OperationError.refused("\(app.name) was not told of this erasure, or has answered already.")
        }
        try act.record(
            .erasureAcknowledged, on: erased, called: app.name, "by app:\(app.id.rawValue), as its makers have said")
        return try ErasureRecord(erased.erasure, in: erased.organization, act.transaction)
    }
}

/// A record that was erased. It holds no role any more, so that it belongs to the whole organization.
package struct ErasedRecord: OperationSubject {
    let erasure: Erasure
    let organization: Organization

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { "person:\(erasure.personID.rawValue)" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }
}
