import Directory
import Storage

/// Edits a class. What an import has written is edited in the school's own records, since the next import would
/// overwrite it.
package struct EditClass: Change {
    package typealias Answer = ClassRecord

    package static let name = "class.edit"
    package static let summary = "Edits a class: its fields and its members. What is left out stays as it is."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "classes/{class}")
    package static let explanations = [
        "class": ClassReference.explanation,
        "name": "The name.",
        "displayName": "The name that people see in its place; empty for none.",
        "classNumber": "The number of the class in the timetable; empty for none.",
        "room": "The room; empty for none.",
        "at": "Where it is: a location's id, its name, or `LO:` and its number; empty for the whole organization.",
        "term": "The term with which it goes, by its exact name; empty for none.",
        "instructors": "All who teach it from now on, the first one first.",
        "addStudents": "Who comes into the class.",
        "removeStudents": "Who leaves it.",
    ]
    package static let undo = UndoRule.possible

    package let `class`: ClassReference
    package var name: String?
    package var displayName: String?
    package var classNumber: String?
    package var room: String?
    package var at: LocationReference?
    package var term: TermReference?
    package var instructors: [PersonReference]?
    package var addStudents: [PersonReference]?
    package var removeStudents: [PersonReference]?

    package init(class reference: ClassReference) { self.class = reference }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> EditedClass {
        let organization = try context.organizationToChange(transaction)
        let found = try self.class.find(in: organization, expectingArchived: false, transaction)
        let isMoved = at != nil
        return EditedClass(
            organization: organization, subject: found, isMoved: isMoved,
            location: try at.flatMap { $0.text.isEmpty ? nil : try $0.find(in: organization, transaction) })
    }

    package func carryOut(on edited: EditedClass, _: Void, in act: Act) throws -> ClassRecord {
        let subject = edited.subject
        var fields = subject.fields
        if let name { fields.name = name }
        if let displayName { fields.displayName = displayName }
        if let classNumber { fields.number = classNumber }
        if let room { fields.room = room }
        if edited.isMoved { fields.location = edited.location?.id }
        if let term {
            fields.term =
                term.text.isEmpty ? nil : try openTerm(term, for: subject, fields, in: act, edited.organization)
        }
        try refuseDelivered(subject, fields)

        let before = try ClassRecord(subject, in: act.context, act.transaction)
        try subject.update(fields, at: act.now, in: act.transaction)
        if let instructors {
            let taught = before.instructors.map(\.number)
            let people = try instructors.map { reference in
                let person = try reference.find(in: act.context, act.transaction)
                return taught.contains(person.id.rawValue)
                    ? person.id : try Person.memberToBe(reference, of: edited.organization, in: act).id
            }
            try subject.setInstructors(people.unique, in: act.transaction)
        }
        try changeStudents(of: edited, before, in: act)

        let after = try ClassRecord(subject, in: act.context, act.transaction)
        let changed = Self.differences(before, after)
        guard !changed.isEmpty else { throw OperationError.refused("\(subject.name) is so already.") }
        try act.record(.classChanged, on: subject, called: after.name, changed.joined(separator: ", "))
        // A class that has left an archived location cannot be brought back by undoing: no class is moved to an
        // archived location.
        let wasAtArchivedLocation = before.locationID != nil && before.location == nil
        if before.locationID == after.locationID || !wasAtArchivedLocation {
            act.undo(by: Self.inverse(before, after, of: subject.id))
        }
        return after
    }

    private func changeStudents(of edited: EditedClass, _ before: ClassRecord, in act: Act) throws {
        let (subject, transaction) = (edited.subject, act.transaction)
        for reference in removeStudents ?? [] {
            let person = try reference.find(in: act.context, transaction)
            let mayRead = try person.isOpen(to: act.context.authority, for: .readPeople, in: transaction)
            guard before.students.contains(where: { $0.number == person.id.rawValue }) else {
                // The class shows whom it has; who has an account, and what they are called, it does not.
                guard mayRead else { throw OperationError.forbidden(.readPeople) }
                throw OperationError.refused("\(person.fullName) is not in \(subject.name).")
            }
            if subject.isDelivered, try subject.importsStudent(person.id, in: transaction) {
                throw OperationError.refused(
                    """
                    The import has put \(mayRead ? person.fullName : reference.text) into \(subject.name), and would do so again. Change it in the \
                    school's records.
                    """)
            }
            try subject.removeStudent(person.id, in: transaction)
        }
        var present = Set(before.students.map(\.number))
        for reference in addStudents ?? [] {
            let person = try Person.memberToBe(reference, of: edited.organization, in: act)
            guard present.insert(person.id.rawValue).inserted else { continue }
            try subject.addStudent(person.id, in: transaction)
        }
    }

    private func openTerm(
        _ reference: TermReference, for subject: ManagedClass, _ fields: ManagedClass.Fields, in act: Act,
        _ organization: Organization
    ) throws -> TermID {
        let term = try reference.find(in: organization, act.transaction)
        guard term.closedAt == nil || term.id == subject.term else {
            throw OperationError.refused(
                "\(term.name) is closed.", remedy: .init(ReopenTerm.name, "'\(term.name)'"))
        }
        guard term.location == nil || term.location == fields.location else {
            throw OperationError.refused("\(term.name) is a term of another location than \(subject.name).")
        }
        return term.id
    }

    /// - Throws: ``OperationError/refused(_:remedy:)`` for a change that the next import would overwrite
    private func refuseDelivered(_ subject: ManagedClass, _ fields: ManagedClass.Fields) throws {
        guard subject.isDelivered else { return }
        var own = fields
        own.room = subject.room
        own.term = subject.term
        guard own != subject.fields || instructors != nil else { return }
        throw OperationError.refused(
            """
            \(subject.name) comes from the imports, which would overwrite this: change it in the school's records. By \
            hand it can get a room, a term and further students.
            """)
    }
}

extension EditClass {
    /// What differs, for the audit trail: names of fields, and ids of people.
    private static func differences(_ before: ClassRecord, _ after: ClassRecord) -> [String] {
        var parts: [String] = []
        if before.name != after.name { parts.append("name") }
        if before.displayName != after.displayName { parts.append("display name") }
        if before.classNumber != after.classNumber { parts.append("number") }
        if before.room != after.room { parts.append("room") }
        if before.locationID != after.locationID { parts.append("location") }
        if before.term != after.term { parts.append("term") }
        if before.instructors != after.instructors { parts.append("instructors") }
        let (gone, come) = (before.students.without(after.students), after.students.without(before.students))
        parts += gone.map { "student person:\($0.number) removed" } + come.map { "student person:\($0.number) added" }
        return parts
    }

    private static func inverse(_ before: ClassRecord, _ after: ClassRecord, of id: ClassID) -> EditClass {
        var edit = EditClass(class: ClassReference(id))
        func reference(_ member: ClassRecord.Member) -> PersonReference {
            PersonReference(PersonID(rawValue: member.number))
        }
        if before.name != after.name { edit.name = before.name }
        if before.displayName != after.displayName { edit.displayName = before.displayName ?? "" }
        if before.classNumber != after.classNumber { edit.classNumber = before.classNumber ?? "" }
        if before.room != after.room { edit.room = before.room ?? "" }
        if before.locationID != after.locationID { edit.at = LocationReference(before.locationID ?? "") }
        if before.term != after.term { edit.term = TermReference(before.term ?? "") }
        if before.instructors != after.instructors { edit.instructors = before.instructors.map(reference) }
        let (gone, come) = (before.students.without(after.students), after.students.without(before.students))
        if !gone.isEmpty { edit.addStudents = gone.map(reference) }
        if !come.isEmpty { edit.removeStudents = come.map(reference) }
        return edit
    }
}

extension [ClassRecord.Member] {
    fileprivate func without(_ others: [ClassRecord.Member]) -> [ClassRecord.Member] {
        let numbers = Set(others.map(\.number))
        return filter { !numbers.contains($0.number) }
    }
}

/// A class with the place to which it is moved: whoever moves it needs the privilege at both.
package struct EditedClass: OperationSubject {
    let organization: Organization
    let subject: ManagedClass
    let isMoved: Bool
    let location: Location?

    package var subjectOrganization: OrganizationID? { subject.subjectOrganization }
    package var auditName: String { subject.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool {
        try subject.isOpen(to: authority, for: privilege, in: transaction)
            && (!isMoved || authority.has(privilege, at: location?.id))
    }

    package func version(in transaction: some Transaction) throws -> String? { try subject.version(in: transaction) }
}
