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
    /// Words that find people, see ``PersonSearch``.
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
    /// - Parameter organization: nil for personal accounts.
    package static func page(
        of organization: OrganizationID?, matching filter: PersonFilter, after last: PersonID = .none, limit: Int,
        in transaction: some Transaction
    ) throws -> [Person] {
        try page(
            of: organization, matching: filter, after: last, limit: limit, readingAllUpTo: readAllMax, in: transaction)
    }

    /// In an organization of at most so many people, a search reads all of them. That takes no longer than asking the
    /// index, which has the people of all organizations.
    private static let readAllMax = 1_000

    /// - Parameter readAllMax: how many people an organization may have for a search to read all of them.
    static func page(
        of organization: OrganizationID?, matching filter: PersonFilter, after last: PersonID = .none, limit: Int,
        readingAllUpTo readAllMax: Int, in transaction: some Transaction
    ) throws -> [Person] {
        func page(_ candidates: Candidates, _ search: PersonSearch?) throws -> [Person] {
            try Person.page(
                of: organization, matching: filter, among: candidates, search, after: last, limit: limit,
                in: transaction)
        }
        guard let search = filter.text.map(PersonSearch.init), !search.isEmpty else {
            return try page(Candidates(filter, of: organization), nil)
        }
        guard try has(moreThan: readAllMax, organization, in: transaction) else { return try page(.all, search) }
        let found = try search.candidates.flatMap { try page($0, search) }
        // A person who was renamed since the index was brought up to date may be found twice: under the former name in
        // the index, and among those whom it does not have yet.
        let people = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return Array(people.values.sorted { $0.id < $1.id }.prefix(limit))
    }

    private static func has(
        moreThan count: Int, _ organization: OrganizationID?, in transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM person WHERE organization_id \(organization == nil ? "IS NULL" : "= $1")
            LIMIT 1 OFFSET \(count)
            """, organization.map { [$0] } ?? [])
    }

    private static func page(
        of organization: OrganizationID?, matching filter: PersonFilter, among candidates: Candidates,
        _ search: PersonSearch?, after last: PersonID, limit: Int, in transaction: some Transaction
    ) throws -> [Person] {
        // Without a search everybody who is read is shown, so that a page's number of people is enough.
        let size = search == nil ? min(max(limit, 1), 500) : candidates.batch(forPageOf: limit)
        var people: [Person] = []
        var last = last
        while people.count < limit {
            let batch = try batch(
                of: organization, matching: filter, among: candidates, after: last, limit: size, in: transaction)
            people += batch.filter { search?.finds($0) ?? true }.prefix(limit - people.count)
            guard batch.count == size, let end = batch.last else { break }
            last = end.id
        }
        return people
    }

    private static func batch(
        of organization: OrganizationID?, matching filter: PersonFilter, among candidates: Candidates,
        after last: PersonID, limit: Int, in transaction: some Transaction
    ) throws -> [Person] {
        var parameters: [any SQLConvertible] = [last, limit]
        func placeholder(_ value: any SQLConvertible) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        var conditions = ["\(candidates.key) > $1", "person.deleted_at IS NULL"]
        conditions += candidates.conditions(placeholder)
        if let organization {
            conditions.append("person.organization_id = \(placeholder(organization))")
        } else {
            conditions.append("person.organization_id IS NULL")
        }
        if let state = filter.state { conditions.append("person.state = \(placeholder(state))") }
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
            parameters, Person.init)
    }
}

/// Among whom the people of a page are looked for.
private enum Candidates {
    case all
    /// Those whom the index finds by patterns, see ``PersonSearch/patterns`` and ``PersonSearch/shortPatterns``.
    case indexed([String], short: [String])
    /// Those whom the index does not have yet, or has under a former name.
    case unindexed
    case one(PersonID)
    /// Those who hold a role, or any role at a location, or that role there.
    case holders(of: OrganizationID, Role?, at: LocationID?)

    /// The candidates for a filter without a text: those who hold the role that it asks for, among whom it finds nearly
    /// everybody, or else all.
    init(_ filter: PersonFilter, of organization: OrganizationID?) {
        // Few people are locked or have left, so that the index of states is the faster way to them.
        guard let organization, filter.role != nil || filter.location != nil,
            filter.state == nil || filter.state == .active || filter.state == .new
        else {
            self = .all
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
        case .all, .one: "person"
        case .indexed: "person_search AS found CROSS JOIN person"
        case .unindexed: "person_unindexed AS found CROSS JOIN person"
        case .holders: "role_assignment AS held CROSS JOIN person"
        }
    }

    var key: String {
        switch self {
        case .all, .one: "person.id"
        case .indexed: "found.rowid"
        case .unindexed: "found.person_id"
        case .holders: "held.person_id"
        }
    }

    func conditions(_ placeholder: (any SQLConvertible) -> String) -> [String] {
        switch self {
        case .all: []
        case .indexed(let patterns, let short):
            ["person.id = found.rowid"] + patterns.map { "found.words LIKE \(placeholder($0))" }
                // `|| ''` makes an expression of the column, which is compared row by row: the index must not be asked
                // for these short patterns.
                + short.map { "found.words || '' LIKE \(placeholder($0))" }
        case .unindexed: ["person.id = found.person_id"]
        case .one(let id): ["person.id = \(placeholder(id))"]
        case .holders(let organization, let role, let location):
            ["person.id = held.person_id", "held.organization_id = \(placeholder(organization))"]
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

    /// How many candidates are read at once for a page of a search. Nearly all that the index gives are found in the
    /// end, so that no more than a page of them is needed; of all people, or of those whom the index lacks, only a few
    /// are.
    func batch(forPageOf limit: Int) -> Int {
        switch self {
        case .all, .unindexed: 500
        case .indexed, .one, .holders: min(max(limit, 1), 500)
        }
    }
}

extension PersonSearch {
    fileprivate var candidates: [Candidates] {
        [.indexed(patterns, short: shortPatterns), .unindexed] + (number.map { [.one($0)] } ?? [])
    }
}
