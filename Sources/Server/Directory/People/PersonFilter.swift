import Foundation
import Storage

/// Which people a listing shows. A property that is nil does not restrict it.
package struct PersonFilter: Sendable {
    /// A role that they hold anywhere in the organization.
    package let role: Role?
    package let state: Person.State?
    /// A location at which they hold a role, or ``role`` if that is set too.
    package let location: LocationID?
    /// A class of which they are an instructor or a student.
    package let rosterClass: ClassID?
    /// Words that find people, see ``Search``.
    package let text: String?
    /// The part of the organization that the caller may see; nil for all of it.
    package let reach: Reach?

    /// Those who hold a role at one of the locations, and the pupils of a teacher.
    package struct Reach: Equatable, Sendable {
        package let locations: Set<LocationID>
        package let teacher: PersonID?

        package init(locations: Set<LocationID>, teacher: PersonID?) {
            self.locations = locations
            self.teacher = teacher
        }
    }

    package init(
        role: Role? = nil, state: Person.State? = nil, location: LocationID? = nil, rosterClass: ClassID? = nil,
        text: String? = nil, within reach: Reach? = nil
    ) {
        self.role = role
        self.state = state
        self.location = location
        self.rosterClass = rosterClass
        self.text = text
        self.reach = reach
    }
}

extension Person {
    /// The next `limit` people after `last` whom the filter lets through, by id, deactivated ones included,
    /// erased ones not.
    /// - Parameters:
    ///   - organization: nil for personal accounts.
    ///   - readAllMax: how many people an organization may have for a search to read all of them.
    package static func page(
        of organization: OrganizationID?, matching filter: PersonFilter, after last: PersonID = .none, limit: Int,
        readingAllUpTo readAllMax: Int? = nil, in transaction: some Transaction
    ) throws -> [Person] {
        func batch(_ candidates: PersonCandidates, _ last: PersonID, _ limit: Int) throws -> [Person] {
            try self.batch(
                of: organization, matching: filter, among: candidates, after: last, limit: limit, in: transaction)
        }
        guard let search = try filter.text.map(Search<Person>.init), !search.isEmpty else {
            return try batch(PersonCandidates(filter, of: organization), last, limit)
        }
        return try search.page(
            of: organization, after: last, limit: limit, readingAllUpTo: readAllMax ?? Search<Person>.readAllMax,
            in: transaction
        ) { try batch(.searched($0), $1, $2) }
    }

    private static func batch(
        of organization: OrganizationID?, matching filter: PersonFilter, among candidates: PersonCandidates,
        after last: PersonID, limit: Int, in transaction: some Transaction
    ) throws -> [Person] {
        var parameters: [any SQLConvertible] = [last, limit]
        func placeholder(_ value: any SQLConvertible) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        var conditions = ["\(candidates.key) > $1"] + candidates.conditions(of: organization, filter.state, placeholder)
        if !candidates.areHolders, filter.role != nil || filter.location != nil {
            let held = [
                filter.role.map { "held.role = \(placeholder($0))" },
                filter.location.map { "held.location_id = \(placeholder($0))" },
            ].compactMap { $0 }
            conditions.append(
                """
                EXISTS (SELECT 1 FROM role_assignment AS held
                        WHERE held.person_id = person.id AND \(held.joined(separator: " AND ")))
                """)
        }
        if let rosterClass = filter.rosterClass {
            let id = placeholder(rosterClass)
            conditions.append(
                """
                person.id IN (SELECT person_id FROM class_student WHERE class_id = \(id)
                       UNION SELECT person_id FROM class_instructor WHERE class_id = \(id))
                """)
        }
        if let reach = filter.reach {
            let places = reach.locations.sorted().map { placeholder($0) }.joined(separator: ", ")
            let teacher = placeholder(reach.teacher ?? .none)
            conditions.append(
                """
                (person.id IN (SELECT person_id FROM role_assignment
                               WHERE location_id IN (\(places.isEmpty ? "-1" : places)))
                 OR person.id IN (SELECT s.person_id FROM class_instructor AS i
                           JOIN class_student AS s ON s.class_id = i.class_id
                           JOIN class AS c ON c.id = i.class_id
                           WHERE i.person_id = \(teacher) AND c.archived_at IS NULL))
                """)
        }
        return try transaction.all(
            """
            SELECT \(columns) FROM \(candidates.tables) WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(candidates.key) LIMIT $2
            """,
            parameters, planned: candidates.planning, Person.init)
    }
}

/// Among whom the people of a page are looked for.
private enum PersonCandidates {
    case searched(Candidates<Person>)
    /// Those who hold a role, or any role at a location, or that role there.
    case holders(of: OrganizationID, Role?, at: LocationID?)

    /// The candidates for a filter without a text: those who hold the role that it asks for, among whom it finds nearly
    /// everybody, or else all.
    init(_ filter: PersonFilter, of organization: OrganizationID?) {
        // Few people are locked or have left, so that the index of states is the faster way to them.
        guard let organization, filter.role != nil || filter.location != nil,
            filter.state == nil || filter.state == .active || filter.state == .new
        else {
            self = .searched(.all)
            return
        }
        self = .holders(of: organization, filter.role, at: filter.location)
    }

    var areHolders: Bool {
        if case .holders = self { true } else { false }
    }

    /// The order of a cross join is the one in which SQLite goes through the tables.
    var tables: String {
        switch self {
        case .searched(let candidates): candidates.tables
        case .holders: "role_assignment AS held CROSS JOIN person"
        }
    }

    var key: String {
        switch self {
        case .searched(let candidates): candidates.key
        case .holders: "held.person_id"
        }
    }

    var planning: Planning {
        switch self {
        case .searched(let candidates): candidates.planning
        case .holders: .once
        }
    }

    func conditions(
        of organization: OrganizationID?, _ state: Person.State?, _ placeholder: (any SQLConvertible) -> String
    ) -> [String] {
        switch self {
        case .searched(let candidates):
            candidates.conditions(placeholder)
                + [
                    organization.map { "person.organization_id = \(placeholder($0))" }
                        ?? "person.organization_id IS NULL",
                    "person.deleted_at IS NULL",
                ] + (state.map { ["person.state = \(placeholder($0))"] } ?? [])
        // What is asked of the person is written so that no index knows it but that of ids. Until PostgreSQL has statistics, an
        // index of the organization's people seems as good to it, and it goes through all of them for each holder.
        case .holders(let organization, let role, let location):
            [
                "person.id = held.person_id", "COALESCE(person.organization_id, 0) = \(placeholder(organization))",
                "COALESCE(person.deleted_at, 0) = 0",
            ]
                + (state.map { ["COALESCE(person.state, '') = \(placeholder($0))"] } ?? [])
                + ["held.organization_id = \(placeholder(organization))"]
                + (role.map { ["held.role = \(placeholder($0))"] } ?? [])
                + (location.map { ["held.location_id = \(placeholder($0))"] } ?? [])
                // A person who holds the role at several places, or several roles at the place, must be found only
                // once.
                + (role == nil
                    ? [Self.isFirst("role", sharing: "location_id")]
                    : location == nil ? [Self.isFirst("location_id", sharing: "role")] : [])
        }
    }

    private static func isFirst(_ column: String, sharing other: String) -> String {
        """
        held.\(column) = (SELECT MIN(same.\(column)) FROM role_assignment AS same
                         WHERE same.person_id = held.person_id AND same.\(other) = held.\(other))
        """
    }
}
