import Foundation
import Storage

/// What a person may do. A role is always held at a location, or at the organization itself.
package enum Role: String, Sendable, SQLConvertible, Codable, CaseIterable {
    case administrator
    case siteManager = "site_manager"
    case peopleManager = "people_manager"
    case deviceEnrollmentManager = "device_enrollment_manager"
    case contentManager = "content_manager"
    case manager
    case instructor
    case staff
    case student

    /// The English name, as consoles show it.
    package var title: String {
        switch self {
        case .administrator: "Administrator"
        case .siteManager: "Site Manager"
        case .peopleManager: "People Manager"
        case .deviceEnrollmentManager: "Device Enrollment Manager"
        case .contentManager: "Content Manager"
        case .manager: "Manager"
        case .instructor: "Instructor"
        case .staff: "Staff"
        case .student: "Student"
        }
    }

    /// Whether the role may let apps read the organization's people and classes.
    package var mayShareData: Bool { self == .administrator || self == .siteManager }

    /// What apps see of the role.
    package var rosterRole: RosterRole {
        switch self {
        case .student: .student
        case .instructor: .instructor
        case .staff, .administrator, .siteManager, .peopleManager, .deviceEnrollmentManager, .contentManager,
            .manager:
            .staff
        }
    }

    package func isOffered(by kind: Organization.Kind) -> Bool {
        switch self {
        case .administrator, .peopleManager, .deviceEnrollmentManager, .contentManager, .staff: true
        case .siteManager, .manager, .instructor, .student: kind == .school
        }
    }
}

/// The three roles of the Roster API.
package enum RosterRole: String, Codable, Sendable, SQLConvertible, CaseIterable {
    case student = "Student"
    case instructor = "Instructor"
    case staff = "Staff"

    /// Case does not matter on input.
    package init?(lenient text: String) {
        guard let role = Self.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
            return nil
        }
        self = role
    }
}

/// One role at one place; `location` is nil for the organization itself.
package struct RoleAssignment: Hashable, Sendable {
    package let role: Role
    package let location: LocationID?

    package init(_ role: Role, at location: LocationID?) {
        self.role = role
        self.location = location
    }
}

extension RoleAssignment {
    package static func list(of person: PersonID, in transaction: some Transaction) throws -> [RoleAssignment] {
        try transaction.all(
            "SELECT role, location_id FROM role_assignment WHERE person_id = $1 ORDER BY location_id, role", [person]
        ) { row in
            let location: LocationID = try row["location_id"]
            return RoleAssignment(try row["role"], at: location == .none ? nil : location)
        }
    }

    /// Adds the role by hand. Imports do not change it from then on.
    /// - Throws: ``DirectoryError/roleNotOffered(_:_:)``, or that the organization has no such person or location.
    package func insert(
        for person: PersonID, of organization: OrganizationID, at now: Date, in transaction: WriteTransaction
    ) throws {
        guard let kind = try Organization.find(organization, in: transaction)?.kind else {
            throw DirectoryError.unknownOrganization(String(organization.rawValue))
        }
        guard role.isOffered(by: kind) else { throw DirectoryError.roleNotOffered(role, kind) }
        // A role makes a person visible to the apps that read the organization, so the person must belong to it.
        guard try Person.find(person, in: transaction)?.organizationID == organization else {
            throw DirectoryError.unknownPerson(String(person.rawValue))
        }
        if let location, try Location.find(location, in: organization, transaction) == nil {
            throw DirectoryError.unknownLocation("LO:\(location.rawValue)")
        }
        try transaction.execute(
            """
            INSERT INTO role_assignment (person_id, location_id, role, roster_role, organization_id, source)
            VALUES ($1, $2, $3, $4, $5, 'manual')
            ON CONFLICT (person_id, location_id, role) DO UPDATE SET source = 'manual'
            """,
            [person, location ?? .none, role, role.rosterRole, organization])
        try Person.touch(person, at: now, in: transaction)
    }

    /// Takes the role away. The last administrator of an organization cannot be removed so, because nobody there could
    /// bring one back.
    /// - Returns: false if the person does not hold the role there.
    /// - Throws: ``DirectoryError/lastAdministrator(_:)`` if no Administrator would be left.
    package func delete(for person: PersonID, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        if role == .administrator { try checkAnotherAdministrator(than: person, in: transaction) }
        let removed = try transaction.execute(
            "DELETE FROM role_assignment WHERE person_id = $1 AND location_id = $2 AND role = $3",
            [person, location ?? .none, role])
        if removed > 0 { try Person.touch(person, at: now, in: transaction) }
        return removed > 0
    }

    private func checkAnotherAdministrator(than person: PersonID, in transaction: some Transaction) throws {
        guard let found = try Person.find(person, in: transaction), let organization = found.organizationID else {
            return
        }
        let held = try RoleAssignment.list(of: person, in: transaction)
        guard held.contains(self), !held.contains(where: { $0.role == .administrator && $0 != self }),
            try !Organization.hasAdministrator(organization, besides: person, in: transaction)
        else { return }
        throw DirectoryError.lastAdministrator(found.fullName)
    }
}
