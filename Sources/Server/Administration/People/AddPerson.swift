import Directory
import Foundation
import Storage

/// Creates an account by hand.
package struct AddPerson: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.add"
    package static let summary = "Makes an account by hand. It has no password yet."
    package static let privilege = Privilege.managePeople
    package static let route = OperationRoute(.post, "people")
    package static let explanations = [
        "firstName": "The first name.",
        "middleName": "The middle name.",
        "lastName": "The last name.",
        "userName": "Without one, the organization's format makes it of the name.",
        "email": "The email address.",
        "grade": "The grade, of a pupil.",
        "personID": "The id in the school's own records.",
        "role": "A role to begin with.",
        "at": "Where the role is held; the organization itself if it is left out.",
        "personal": "Makes a personal account, which belongs to no organization. Only the operator does that.",
    ]
    package static let undo = UndoRule.possible

    package let firstName: String
    package let middleName: String?
    package let lastName: String
    /// If it is left out, it is made from the name, in the organization's format.
    package let userName: String?
    package let email: String?
    package let grade: String?
    /// The id in the school's own records.
    package let personID: String?
    package let role: Role?
    /// The location of the role; if it is left out, the organization itself.
    package let at: LocationReference?
    /// Whether to create a personal account, which belongs to no organization.
    package let personal: Bool?

    package init(
        firstName: String, middleName: String? = nil, lastName: String, userName: String? = nil, email: String? = nil,
        grade: String? = nil, personID: String? = nil, role: Role? = nil, at: LocationReference? = nil,
        personal: Bool? = nil
    ) {
        self.firstName = firstName
        self.middleName = middleName
        self.lastName = lastName
        self.userName = userName
        self.email = email
        self.grade = grade
        self.personID = personID
        self.role = role
        self.at = at
        self.personal = personal
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> PersonToBe {
        if at != nil, role == nil {
            throw OperationError.invalid(field: "location", reason: "says where a role is held: name the role too")
        }
        if personal == true {
            guard role == nil, grade == nil, personID == nil else {
                throw OperationError.invalid(
                    field: "role, grade or person id", reason: "goes with no personal account: those have none")
            }
            return PersonToBe(organization: nil, role: nil, location: nil)
        }
        let organization = try context.organizationToChange(transaction)
        return PersonToBe(
            organization: organization, role: role, location: try at?.find(in: organization, transaction))
    }

    package func carryOut(on subject: PersonToBe, _: Void, in act: Act) throws -> PersonRecord {
        let (organization, transaction) = (subject.organization, act.transaction)
        if let organization { try act.checkRoom(for: .people, in: organization) }
        if let organization, let personID,
            let other = try Person.find(sourceID: personID, in: organization.id, transaction)
        {
            let isOpen = try other.isOpen(to: act.context.authority, for: .readPeople, in: transaction)
            throw OperationError.refused(
                "\(isOpen ? other.fullName : "Somebody") has the person id “\(personID)” already. Give another.")
        }
        let person = try Person.insert(
            in: organization?.id, sourceID: personID, givenName: firstName, middleName: middleName,
            familyName: lastName, email: email, grade: grade,
            userName: userName ?? freeUserName(in: organization, at: act.now, transaction), at: act.now, in: transaction
        )
        try act.record(.personCreated, on: person, called: person.fullName)
        if let organization, let role {
            try RoleAssignment(role, at: subject.location?.id).insert(
                for: person.id, of: organization.id, at: act.now, in: transaction)
            try act.recordRole("added", role, at: subject.location, on: person)
        }
        act.undo(by: DeactivatePerson(person: PersonReference(person.id)))
        return try PersonRecord(person, in: transaction)
    }

    /// A user name in the organization's format, with a number added if it is taken.
    private func freeUserName(
        in organization: Organization?, at now: Date, _ transaction: some Transaction
    ) throws -> String {
        guard let organization else {
            throw OperationError.invalid(field: "user name", reason: "is missing: a personal account needs one")
        }
        let values: [UserNameFormat.Block: String?] = [
            .firstName: firstName, .firstInitial: firstName, .middleName: middleName, .middleInitial: middleName,
            .lastName: lastName, .lastInitial: lastName, .personID: personID, .email: email,
        ]
        switch try organization.userNameFormat.userName(for: { values[$0] ?? nil }) {
        case .failure(let missing):
            throw OperationError.refused(
                """
                The user-name format \(organization.userNameFormatText) needs {\(missing.block.rawValue)}, which is \
                missing. Give it, or a user name.
                """)
        case .success(let name):
            var candidate = name
            var number = 2
            while try Person.isTaken(userName: candidate, at: now, in: transaction) {
                candidate = UserNameFormat.numbered(name, number)
                number += 1
            }
            return candidate
        }
    }
}

/// A person who is about to be added: the future place and role decide who may do that.
package struct PersonToBe: OperationSubject {
    let organization: Organization?
    let role: Role?
    let location: Location?

    package var subjectOrganization: OrganizationID? { organization?.id }
    package var auditName: String { organization?.auditName ?? "personal accounts" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool {
        guard let organization else { return authority.isOperator }
        return role.map { authority.manages(RoleAssignment($0, at: location?.id)) }
            ?? authority.has(privilege, in: organization.id)
    }
}
