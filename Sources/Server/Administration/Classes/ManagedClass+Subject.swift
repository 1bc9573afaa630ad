import Directory
import Storage

extension ManagedClass: OperationSubject {
    package var subjectOrganization: OrganizationID? { organizationID }
    package var auditName: String { "class:\(id.rawValue)" }

    package func version(in transaction: some Transaction) throws -> String? {
        try ClassRecord(self, namesMembers: false, in: transaction).version
    }

    /// A class is where its location is; without one it belongs to the whole organization. Instructors read the classes
    /// that they teach.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool {
        if authority.isOperator { return true }
        guard organizationID == authority.organization else { return false }
        return try authority.standings(privilege).contains { standing in
            guard standing.covers(location) else { return false }
            guard let teacher = standing.teacher else { return true }
            return try isTaught(by: teacher, in: transaction)
        }
    }
}

extension Person {
    /// Finds somebody who is to be in a class. The caller must be allowed to read the person: teachers give passwords
    /// to the pupils of their classes, so a teacher who could put any pupil into a class could sign in as any of them.
    static func memberToBe(
        _ reference: PersonReference, of organization: Organization, in act: Act
    ) throws -> Person {
        let person = try reference.find(in: act.context, act.transaction)
        guard person.organizationID == organization.id else {
            throw OperationError.notFound(.person, reference.text, in: organization.name)
        }
        guard try person.isOpen(to: act.context.authority, for: .readPeople, in: act.transaction) else {
            throw OperationError.forbidden(.readPeople)
        }
        guard person.state != .deactivated else {
            throw OperationError.refused(
                "\(person.fullName) is deactivated and comes into no class.",
                remedy: .init(ReactivatePerson.name, person.userName))
        }
        return person
    }
}
