import Directory
import Foundation
import Storage

/// What administrators see of a class.
package struct ClassRecord: Codable, Equatable, Sendable, Versioned {
    package struct Member: Codable, Equatable, Sendable {
        package let number: Int64
        /// Nil, as ``name`` is, for whoever may not read people in the class.
        package let userName: String?
        package let name: String?
        package let isDeactivated: Bool

        init(_ person: Person, isNamed: Bool) {
            number = person.id.rawValue
            userName = isNamed ? person.userName : nil
            name = isNamed ? person.fullName : nil
            isDeactivated = person.state == .deactivated
        }
    }

    /// `CL-` and this number is what apps call it.
    package let number: Int64
    /// `class_id` in the school's own records.
    package let classID: String?
    package let name: String
    package let displayName: String?
    package let classNumber: String?
    package let room: String?
    /// `LO:` and a number.
    package let locationID: String?
    package let location: String?
    package let term: String?
    package let source: RecordSource
    /// Whether the files of the last import had it.
    package let isDelivered: Bool
    /// Since when apps do not see it.
    package let archivedAt: Date?
    /// The name of the location that has to be restored before an archived class can be, because the class is there, or
    /// has its course there; nil if there is none.
    package let removedLocation: String?
    /// The instructors in the order in which the school names them.
    package let instructors: [Member]
    package let students: [Member]
    package let createdAt: Date
    package let modifiedAt: Date
    package let version: String

    /// The record as the caller may see it.
    init(_ found: ManagedClass, in context: OperationContext, _ transaction: some Transaction) throws {
        // Where the class is now: it may just have been moved.
        let found = try ManagedClass.find(found.id, in: found.organizationID, transaction) ?? found
        try self.init(
            found, namesMembers: try found.isOpen(to: context.authority, for: .readPeople, in: transaction),
            in: transaction)
    }

    /// Reads the record again, because changes pass the one from before.
    init(_ found: ManagedClass, namesMembers: Bool, in transaction: some Transaction) throws {
        let found = try ManagedClass.find(found.id, in: found.organizationID, transaction) ?? found
        number = found.id.rawValue
        classID = found.sourceID
        name = found.name
        displayName = found.displayName
        classNumber = found.number
        room = found.room
        locationID = found.location.map { "LO:\($0.rawValue)" }
        location = try found.location.flatMap { try Location.find($0, in: found.organizationID, transaction)?.name }
        term = try found.term.flatMap { try Term.find($0, in: transaction)?.name }
        source = found.source
        isDelivered = found.isDelivered
        archivedAt = found.archivedAt
        removedLocation = found.isArchived ? try Location.archived(of: found.id, in: transaction)?.name : nil
        instructors = try found.members(.instructor, in: transaction).map { Member($0, isNamed: namesMembers) }
        students = try found.members(.student, in: transaction).map { Member($0, isNamed: namesMembers) }
        createdAt = found.createdAt
        modifiedAt = found.modifiedAt
        let parts = [
            found.name, found.displayName, found.number, found.room, locationID, term,
            found.isArchived ? "archived" : "",
            instructors.map { "\($0.number)" }.joined(separator: " "),
            students.map { "\($0.number)" }.joined(separator: " "),
        ].map { $0 ?? "\u{1}" }
        version = .version(of: parts.joined(separator: "\u{0}").utf8)
    }
}

/// A class in a list.
package struct ClassSummary: Codable, Equatable, Sendable {
    package let number: Int64
    package let classID: String?
    package let name: String
    package let displayName: String?
    package let classNumber: String?
    package let locationID: String?
    package let location: String?
    package let term: String?
    package let instructors: Int
    package let students: Int
    package let isDelivered: Bool
    package let archivedAt: Date?

    init(_ found: ManagedClass, in transaction: some Transaction) throws {
        number = found.id.rawValue
        classID = found.sourceID
        name = found.name
        displayName = found.displayName
        classNumber = found.number
        locationID = found.location.map { "LO:\($0.rawValue)" }
        location = try found.location.flatMap { try Location.find($0, in: found.organizationID, transaction)?.name }
        term = try found.term.flatMap { try Term.find($0, in: transaction)?.name }
        instructors = try found.memberCount(.instructor, in: transaction)
        students = try found.memberCount(.student, in: transaction)
        isDelivered = found.isDelivered
        archivedAt = found.archivedAt
    }
}
