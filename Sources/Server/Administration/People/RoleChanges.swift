import Directory
import Storage

/// Gives a person a role.
package struct AddRole: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.role.add"
    package static let summary = """
        Gives a person a role, for good or for some days. Who has it already gets these days instead of the former ones. \
        Imports do not take it away.
        """
    package static let privilege = Privilege.managePeople
    package static let route = OperationRoute(.post, "people/{person}/roles")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`.",
        "role": "The role.",
        "at": "Where it is held; the organization itself if it is left out.",
        "from": "The first day on which the role counts, such as `2026-09-01`; it counts at once if it is left out.",
        "until": "The last day on which it counts; it has no end if it is left out.",
    ]
    package static let undo = UndoRule.possible

    package let person: PersonReference
    package let role: Role
    /// The location of the role; if it is left out, the organization itself.
    package let at: LocationReference?
    /// The first and the last day; nil for a role without beginning or end.
    package let from: String?
    package let until: String?

    package init(
        person: PersonReference, role: Role, at: LocationReference?, from: String? = nil, until: String? = nil
    ) {
        self.person = person
        self.role = role
        self.at = at
        self.from = from
        self.until = until
    }

    fileprivate init(_ holder: RoleHolder, during period: RolePeriod) {
        self.init(
            person: PersonReference(holder.person.id), role: holder.role, at: holder.place,
            from: period.firstDay?.text, until: period.lastDay?.text)
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RoleHolder {
        try RoleHolder(person, role, at, in: context, transaction)
    }

    package func carryOut(on holder: RoleHolder, _: Void, in act: Act) throws -> PersonRecord {
        let person = holder.person
        // The role would not be visible now, and would take effect unnoticed when the person is activated again.
        guard person.state != .deactivated else {
            throw OperationError.refused(
                "\(person.fullName) is deactivated and holds no new role.",
                remedy: .init(ReactivatePerson.name, person.userName))
        }
        let period = try RolePeriod(
            from: from.map { try CalendarDay.checked($0, field: "first day") },
            until: until.map { try CalendarDay.checked($0, field: "last day") })
        let former = try holder.assignment.period(of: person.id, in: act.transaction)
        // Inserted even if the role exists: that marks it as given by hand, and imports do not change such roles.
        try holder.assignment.insert(
            for: person.id, of: holder.organization.id, during: period, at: act.now, in: act.transaction)
        try act.recordRole(Self.words(for: period, after: former), role, at: holder.location, on: person)
        if let former {
            if former != period { act.undo(by: AddRole(holder, during: former)) }
        } else {
            act.undo(by: RemoveRole(person: PersonReference(person.id), role: role, at: holder.place))
        }
        return try PersonRecord(person, in: act.transaction)
    }

    private static func words(for period: RolePeriod, after former: RolePeriod?) -> String {
        guard let former, former != period else {
            return period == .always ? "added" : "added \(period.text)"
        }
        func days(_ period: RolePeriod) -> String { period == .always ? "no days" : period.text }
        return "counts \(days(former)) → \(days(period))"
    }
}

/// Takes a role away from a person.
package struct RemoveRole: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.role.remove"
    package static let summary = "Takes a role away from a person."
    package static let privilege = Privilege.managePeople
    package static let route = OperationRoute(.delete, "people/{person}/roles/{role}")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`.",
        "role": "The role.",
        "at": "Where it is held; the organization itself if it is left out.",
    ]
    package static let undo = UndoRule.possible

    package let person: PersonReference
    package let role: Role
    /// The location of the role; if it is left out, the organization itself.
    package let at: LocationReference?

    package init(person: PersonReference, role: Role, at: LocationReference?) {
        self.person = person
        self.role = role
        self.at = at
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RoleHolder {
        // A role that was over keeps no location from being archived, and can be taken away afterwards.
        try RoleHolder(person, role, at, alsoArchived: true, in: context, transaction)
    }

    package func carryOut(on holder: RoleHolder, _: Void, in act: Act) throws -> PersonRecord {
        let person = holder.person
        let period = try holder.assignment.period(of: person.id, in: act.transaction)
        guard let period, try holder.assignment.delete(for: person.id, at: act.now, in: act.transaction) else {
            throw OperationError.refused(
                "\(person.fullName) is not \(role.title) at \(holder.location?.name ?? holder.organization.name).",
                remedy: .init(ShowPerson.name, person.userName, use: .looking("lists the roles; --at names a location"))
            )
        }
        try act.recordRole("removed", role, at: holder.location, on: person)
        // Nobody gets a role at a location that was removed, so that one is not given back.
        if holder.location?.archivedAt == nil { act.undo(by: AddRole(holder, during: period)) }
        return try PersonRecord(person, in: act.transaction)
    }
}

/// A person, and the role that they are given or lose.
package struct RoleHolder: OperationSubject {
    let person: Person
    let organization: Organization
    let role: Role
    let location: Location?

    init(
        _ reference: PersonReference, _ role: Role, _ at: LocationReference?, alsoArchived: Bool = false,
        in context: OperationContext, _ transaction: some Transaction
    ) throws {
        person = try reference.findToChange(in: context, transaction)
        guard let home = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) }) else {
            throw OperationError.refused(
                "\(person.fullName) has a personal account; only people of an organization hold roles.")
        }
        organization = home
        self.role = role
        location = try alsoArchived ? at?.findAlsoArchived(in: home, transaction) : at?.find(in: home, transaction)
    }

    var assignment: RoleAssignment { RoleAssignment(role, at: location?.id) }
    var place: LocationReference? { location.map { LocationReference($0.id) } }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { person.auditName }

    /// The caller must manage both the roles that the person holds already and the role in question. Otherwise a
    /// manager could add a role at their own place to people of other places, and then change their accounts.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool {
        try authority.manages(assignment) && person.isOpen(to: authority, for: privilege, in: transaction)
    }

    package func version(in transaction: some Transaction) throws -> String? { try person.version(in: transaction) }
}
