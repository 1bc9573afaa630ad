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

extension Role {
    /// How far the holders of a role are counted: beyond, the number says only that there are more.
    package static let countedMax = 1_000

    /// How many people of the organization hold the role somewhere, also on days to come, deactivated people included;
    /// ``countedMax`` + 1 where there are more than ``countedMax``.
    package func countHolders(in organization: OrganizationID, _ transaction: some Transaction) throws -> Int {
        try transaction.count(
            "SELECT DISTINCT person_id FROM role_assignment WHERE organization_id = $1 AND role = $2",
            [organization, self], upTo: Self.countedMax + 1)
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
    /// The roles that give the person something now.
    package static func inForce(
        of person: PersonID, at now: Date, in transaction: some Transaction
    ) throws -> [RoleAssignment] {
        try list(
            "person_id = $1 AND \(RolePeriod.isInForce("role_assignment", at: "$2"))", [person, now], in: transaction)
    }

    /// All roles that stand in the person's record, also those that are over or have not begun: for the questions where
    /// the person belongs, and who may change the account, never for what the person may do.
    package static func recorded(of person: PersonID, in transaction: some Transaction) throws -> [RoleAssignment] {
        try list("person_id = $1", [person], in: transaction)
    }

    private static func list(
        _ condition: String, _ parameters: [any SQLConvertible], in transaction: some Transaction
    ) throws -> [RoleAssignment] {
        try transaction.all(
            "SELECT role, location_id FROM role_assignment WHERE \(condition) ORDER BY location_id, role", parameters
        ) { row in
            let location: LocationID = try row["location_id"]
            return RoleAssignment(try row["role"], at: location == .none ? nil : location)
        }
    }

    /// The days of the role; nil if it does not stand in the person's record.
    package func period(of person: PersonID, in transaction: some Transaction) throws -> RolePeriod? {
        try transaction.first(
            """
            SELECT \(RolePeriod.columns) FROM role_assignment WHERE person_id = $1 AND location_id = $2 AND role = $3
            """, [person, location ?? .none, role], RolePeriod.init)
    }

    /// Adds the role by hand, or gives it other days. Imports do not change it from then on.
    /// - Throws: ``DirectoryError/roleNotOffered(_:_:)``, or that the organization has no such person or location;
    ///   ``DirectoryError/lastAdministrator(_:)`` or ``DirectoryError/endingAdministrator(_:)`` if nobody would stay who
    ///   is an Administrator without end.
    package func insert(
        for person: PersonID, of organization: OrganizationID, during period: RolePeriod = .always, at now: Date,
        in transaction: WriteTransaction
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
        if !period.isLasting(at: now) {
            try checkAnotherAdministrator(than: person, isEnding: period.lastDay != nil, at: now, in: transaction)
        }
        try transaction.execute(
            """
            INSERT INTO role_assignment
                (person_id, location_id, role, roster_role, organization_id, source, begins_at, ends_at)
            VALUES ($1, $2, $3, $4, $5, 'manual', $6, $7)
            ON CONFLICT (person_id, location_id, role) DO UPDATE
            SET source = 'manual', begins_at = EXCLUDED.begins_at, ends_at = EXCLUDED.ends_at
            """,
            [person, location ?? .none, role, role.rosterRole, organization, period.beginsAt, period.endsAt])
        try Person.touch(person, at: now, in: transaction)
    }

    /// Takes the role away. The last administrator of an organization cannot be removed so, because nobody there could
    /// bring one back.
    /// - Returns: false if the person does not hold the role there.
    /// - Throws: ``DirectoryError/lastAdministrator(_:)`` if no Administrator without end would be left.
    package func delete(for person: PersonID, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try checkAnotherAdministrator(than: person, isEnding: false, at: now, in: transaction)
        let removed = try transaction.execute(
            "DELETE FROM role_assignment WHERE person_id = $1 AND location_id = $2 AND role = $3",
            [person, location ?? .none, role])
        if removed > 0 { try Person.touch(person, at: now, in: transaction) }
        return removed > 0
    }

    /// Checks that the organization keeps an Administrator without end if this role is taken away or gets an end.
    /// - Parameter isEnding: whether it is given with a last day, so that it does not matter if the person holds it now.
    private func checkAnotherAdministrator(
        than person: PersonID, isEnding: Bool, at now: Date, in transaction: some Transaction
    ) throws {
        guard role == .administrator,
            let found = try Person.find(person, in: transaction), let organization = found.organizationID
        else { return }
        let isHeld = try RoleAssignment.inForce(of: person, at: now, in: transaction).contains(self)
        guard isHeld || isEnding,
            try !isAdministratorElsewhere(person, at: now, in: transaction),
            try !Organization.hasAdministrator(organization, besides: person, at: now, in: transaction)
        else { return }
        throw isEnding
            ? DirectoryError.endingAdministrator(found.fullName) : DirectoryError.lastAdministrator(found.fullName)
    }

    /// Whether the person is an Administrator without end at another place.
    private func isAdministratorElsewhere(
        _ person: PersonID, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM role_assignment
            WHERE person_id = $1 AND role = 'administrator' AND location_id <> $2
              AND \(RolePeriod.isLasting("role_assignment", at: "$3"))
            """, [person, location ?? .none, now])
    }
}
