import Directory
import Foundation
import Storage

/// Whom a legal hold is about: one person, or everybody of an organization.
package struct HoldSubject: OperationSubject {
    let organization: Organization
    /// Nil for everybody.
    let person: Person?

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { person?.auditName ?? organization.auditName }
    var name: String { person?.fullName ?? organization.name }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool {
        try person?.isOpen(to: authority, for: privilege, in: transaction)
            ?? organization.isOpen(to: authority, for: privilege, in: transaction)
    }
}

/// What administrators see of a legal hold.
package struct HoldRecord: Codable, Equatable, Sendable {
    /// The number of the hold.
    package let hold: Int64
    /// The number of the person; nil for everybody of the organization.
    package let person: Int64?
    package let fullName: String?
    package let reason: String
    package let begunAt: Date
    /// The last day on which it is in force, such as 2027-07-31.
    package let until: String
    package let endedAt: Date?
    package let isInForce: Bool

    init(_ hold: LegalHold, at now: Date, in transaction: some Transaction) throws {
        self.hold = hold.id.rawValue
        person = hold.personID?.rawValue
        fullName = try hold.personID.flatMap { try Person.find($0, in: transaction)?.fullName }
        reason = hold.reason
        begunAt = hold.begunAt
        until = hold.lastDay.text
        endedAt = hold.endedAt
        isInForce = hold.isInForce(at: now)
    }
}

/// Takes care that a person, or anybody of the organization, is not erased until a day.
package struct AddHold: Change {
    package typealias Answer = HoldRecord

    package static let name = "hold.add"
    package static let summary = "Keeps a person, or everybody of the organization, from being erased until a day."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.post, "holds")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`; everybody if it is left out.",
        "reason": "Why. Whoever may erase people reads it, and so does the person who asks what is known about them.",
        "until": "The last day, as 2027-07-31. It ends then, unless another hold follows.",
    ]
    package static let undo = UndoRule.possible
    package static let worksInClosedOrganizations = true

    package let person: PersonReference?
    package let reason: String
    package let until: String

    package init(person: PersonReference? = nil, reason: String, until: String) {
        self.person = person
        self.reason = reason
        self.until = until
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> HoldSubject {
        guard let found = try person?.findToChange(in: context, transaction) else {
            return HoldSubject(organization: try context.organizationToChange(transaction), person: nil)
        }
        guard let home = try found.organizationID.flatMap({ try Organization.find($0, in: transaction) }) else {
            throw OperationError.refused("\(found.fullName) has a personal account, which its owner alone deletes.")
        }
        return HoldSubject(organization: home, person: found)
    }

    package func carryOut(on subject: HoldSubject, _: Void, in act: Act) throws -> HoldRecord {
        let lastDay = try CalendarDay.checked(until, field: "until")
        guard lastDay >= CalendarDay(act.now) else {
            throw OperationError.invalid(field: "until", reason: "is over already")
        }
        let hold = try LegalHold.insert(
            in: subject.organization.id, person: subject.person?.id, reason: reason, until: lastDay, at: act.now,
            in: act.transaction)
        try act.record(.holdBegun, on: subject, called: subject.name, "until \(lastDay.text)")
        act.undo(by: EndHold(hold: "\(hold.id.rawValue)"))
        return try HoldRecord(hold, at: act.now, in: act.transaction)
    }
}

/// Ends a legal hold before its last day.
package struct EndHold: Change {
    package typealias Answer = HoldRecord

    package static let name = "hold.end"
    package static let summary = "Ends a legal hold before its last day."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.post, "holds/{hold}/end")
    package static let explanations = ["hold": "The number of the hold."]
    package static let undo = UndoRule.possible
    package static let worksInClosedOrganizations = true

    package let hold: String

    package init(hold: String) { self.hold = hold }

    private func find(_ organization: Organization, _ transaction: some Transaction) throws -> LegalHold {
        guard let id = Int64(hold).map(LegalHoldID.init(rawValue:)),
            let found = try LegalHold.find(id, in: transaction), found.organizationID == organization.id
        else { throw OperationError.notFound(.hold, hold, in: organization.name) }
        return found
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> HoldSubject {
        let organization = try context.organizationToChange(transaction)
        let found = try find(organization, transaction)
        return HoldSubject(
            organization: organization, person: try found.personID.flatMap { try Person.find($0, in: transaction) })
    }

    package func carryOut(on subject: HoldSubject, _: Void, in act: Act) throws -> HoldRecord {
        let found = try find(subject.organization, act.transaction)
        guard found.isInForce(at: act.now), try found.end(at: act.now, in: act.transaction) else {
            throw OperationError.refused("Legal hold \(hold) is over already.")
        }
        try act.record(.holdEnded, on: subject, called: subject.name, "of \(CalendarDay(found.begunAt).text)")
        act.undo(
            by: AddHold(
                person: subject.person.map { PersonReference($0.id) }, reason: found.reason, until: found.lastDay.text))
        return try HoldRecord(
            LegalHold.find(found.id, in: act.transaction) ?? found, at: act.now, in: act.transaction)
    }
}

/// Lists legal holds, also those that are over.
package struct ListHolds: Inquiry {
    package static let name = "hold.list"
    package static let summary = "Lists legal holds with their reasons, also those that are over, the newest first."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.get, "holds")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let holds: [HoldRecord]
    }

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(
            holds: try LegalHold.list(of: organization.id, in: transaction).map {
                try HoldRecord($0, at: context.now, in: transaction)
            })
    }

    package static func people(in answer: Answer) -> [PersonID]? {
        answer.holds.compactMap(\.person).map(PersonID.init(rawValue:))
    }
}
