import Directory
import Foundation
import Storage

/// Erases people again, after a copy of the database was put in place in which they are still there.
///
/// A number alone could mean somebody else: after the copy was put in place, people may have been added who got the
/// numbers of erased ones. So a record is recognized by its number together with the time at which it was made, and
/// nobody is erased who is not recognized. From now on no new record gets a number from the list.
package struct ReplayErasures: Change {
    package static let name = "erasure.replay"
    package static let summary = "Erases people again, after a copy of the database was put in place."
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "erasures/replay", bodyBytesMax: 16 << 20)
    package static let explanations = ["erasures": "Those of `erasure.list`, 10 000 at most."]
    package static let undo = UndoRule.impossible("What is erased is not kept anywhere.")
    package static let worksInClosedOrganizations = true
    package static let hasBulkForm = false
    package static let locksRoster = true
    package static let mayChangeNothing = true

    package struct Item: Codable, Equatable, Sendable {
        /// The organization's id.
        package let organization: String
        package let number: Int64
        package let createdAt: Date
        package let erasedAt: Date

        package init(organization: String, number: Int64, createdAt: Date, erasedAt: Date) {
            self.organization = organization
            self.number = number
            self.createdAt = createdAt
            self.erasedAt = erasedAt
        }
    }

    package struct Answer: Codable, Sendable {
        /// The numbers of those who were erased now.
        package let erased: [Int64]
        /// How many of the list are erased already, or were not there yet when the copy was made.
        package let unneeded: Int
        /// The numbers that other people have now. Those are not erased.
        package let unrecognized: [Int64]
    }

    package let erasures: [Item]

    package init(erasures: [Item]) { self.erasures = erasures }

    package func carryOut(on organization: Organization, _: Void, in act: Act) throws -> Answer {
        guard (1...10_000).contains(erasures.count) else {
            throw OperationError.invalid(field: "erasures", reason: "are none, or more than 10000")
        }
        guard erasures.allSatisfy({ $0.organization == organization.publicID }) else {
            throw OperationError.invalid(
                field: "erasures", reason: "are not all of \(organization.name): give the list of one organization")
        }
        var (erased, unneeded, unrecognized): ([Int64], Int, [Int64]) = ([], 0, [])
        for item in erasures.sorted(by: { $0.number < $1.number }) {
            let id = PersonID(rawValue: item.number)
            guard let person = try Person.find(id, in: act.transaction) else {
                unneeded += 1
                continue
            }
            guard person.organizationID == organization.id,
                Int(person.createdAt.timeIntervalSince1970) == Int(item.createdAt.timeIntervalSince1970)
            else {
                unrecognized.append(item.number)
                continue
            }
            // Nothing is left to do for a record that is erased, be it because it went a moment ago with the record
            // into which it had been merged. A record that is still merged goes with that one, further down in the
            // list.
            guard !person.isErased, try PersonMerge.destination(of: id, in: act.transaction) == nil else {
                unneeded += 1
                continue
            }
            try erase(person, in: act)
            erased.append(item.number)
        }
        try Person.neverUse(
            upTo: PersonID(rawValue: erasures.map(\.number).max() ?? 0), in: act.transaction)
        return Answer(erased: erased, unneeded: unneeded, unrecognized: unrecognized)
    }

    private func erase(_ person: Person, in act: Act) throws {
        let erasure = PersonErasure(
            subject: try ErasableRecord(person, in: act.transaction), actor: act.actor, origin: act.origin,
            now: act.now, surroundings: act.surroundings, transaction: act.transaction)
        let report = try erasure.carryOut()
        try act.record(
            .personErased, on: person, called: person.fullName, "again, \(report.detail)",
            mentioning: report.mentions)
    }
}
