import Directory
import Storage

/// Makes a class by hand. Imports leave it alone, unless their files have a class of the same id.
package struct AddClass: Change {
    package typealias Answer = ClassRecord

    package static let name = "class.add"
    package static let summary = "Makes a class by hand. Imports leave it alone."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "classes")
    package static let explanations = [
        "name": "The name.",
        "displayName": "The name that people see in its place.",
        "classNumber": "The number of the class in the timetable.",
        "room": "The room.",
        "classID": "The id in the school's own records.",
        "at": "Where it is: a location's id, its name, or `LO:` and its number.",
        "instructors": "Who teaches it, the first one first.",
        "students": "Who learns in it.",
    ]
    package static let undo = UndoRule.possible

    package let name: String
    package let displayName: String?
    package let classNumber: String?
    package let room: String?
    package let classID: String?
    package let at: LocationReference?
    package let instructors: [PersonReference]?
    package let students: [PersonReference]?

    package init(
        name: String, displayName: String? = nil, classNumber: String? = nil, room: String? = nil,
        classID: String? = nil, at: LocationReference? = nil, instructors: [PersonReference]? = nil,
        students: [PersonReference]? = nil
    ) {
        self.name = name
        self.displayName = displayName
        self.classNumber = classNumber
        self.room = room
        self.classID = classID
        self.at = at
        self.instructors = instructors
        self.students = students
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ClassToBe {
        let organization = try context.organizationToChange(transaction)
        return ClassToBe(organization: organization, location: try at?.find(in: organization, transaction))
    }

    package func carryOut(on place: ClassToBe, _: Void, in act: Act) throws -> ClassRecord {
        let (organization, transaction) = (place.organization, act.transaction)
        guard organization.kind == .school else {
            throw OperationError.refused("\(organization.name) is a business; classes belong to schools.")
        }
        try act.checkRoom(for: .classes, in: organization)
        let sourceID = try FieldRule.sourceID.checkIfPresent(classID, field: "class id")
        if let sourceID,
            let other = try ManagedClass.list(called: sourceID, in: organization.id, transaction)
                .first(where: { $0.sourceID == sourceID })
        {
            throw OperationError.refused(
                "\(other.name)\(other.isArchived ? ", which is archived," : "") has the class id “\(sourceID)” already."
            )
        }
        func members(_ references: [PersonReference]?) throws -> [PersonID] {
            let people = try (references ?? []).map { try Person.memberToBe($0, of: organization, in: act).id }
            return people.unique
        }
        let id = try RosterClass.insert(
            in: organization.id, sourceID: sourceID, name: name, displayName: displayName, number: classNumber,
            room: room, location: place.location?.id, instructors: members(instructors), students: members(students),
            at: act.now, in: transaction)
        guard let made = try ManagedClass.find(id, in: organization.id, transaction) else {
            throw OperationError.notFound(.class, name, in: organization.name)
        }
        try act.record(.classCreated, on: made, called: made.name)
        act.undo(by: ArchiveClass(class: ClassReference(id)))
        return try ClassRecord(made, in: act.context, transaction)
    }
}

extension [PersonID] {
    /// The ids in their order, without repetitions.
    var unique: [PersonID] {
        var seen: Set<PersonID> = []
        return filter { seen.insert($0).inserted }
    }
}

/// A class that is about to be added. Who may add it depends on the location at which it will be.
package struct ClassToBe: OperationSubject {
    let organization: Organization
    let location: Location?

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, at: location?.id) }
}
