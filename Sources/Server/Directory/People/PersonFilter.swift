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
        let search = filter.text.map(PersonSearch.init)
        var people: [Person] = []
        var last = last
        while people.count < limit {
            let batch = try batch(of: organization, matching: filter, after: last, in: transaction)
            people += batch.filter { search?.finds($0) ?? true }.prefix(limit - people.count)
            guard batch.count == batchMax, let end = batch.last else { break }
            last = end.id
        }
        return people
    }

    private static let batchMax = 500

    /// Text is compared in Swift, because neither database folds the case of every script.
    private static func batch(
        of organization: OrganizationID?, matching filter: PersonFilter, after last: PersonID,
        in transaction: some Transaction
    ) throws -> [Person] {
        var parameters: [any SQLConvertible] = [last, batchMax]
        func placeholder(_ value: some SQLConvertible) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        var conditions = ["id > $1", "deleted_at IS NULL"]
        if let organization {
            conditions.append("organization_id = \(placeholder(organization))")
        } else {
            conditions.append("organization_id IS NULL")
        }
        if let state = filter.state { conditions.append("state = \(placeholder(state))") }
        if filter.role != nil || filter.location != nil {
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
                id IN (SELECT person_id FROM class_student WHERE class_id = \(id)
                       UNION SELECT person_id FROM class_instructor WHERE class_id = \(id))
                """)
        }
        if let reach = filter.reach {
            let places = reach.locations.sorted().map { placeholder($0) }.joined(separator: ", ")
            let teacher = placeholder(reach.teacher ?? .none)
            conditions.append(
                """
                (id IN (SELECT person_id FROM role_assignment WHERE location_id IN (\(places.isEmpty ? "-1" : places)))
                 OR id IN (SELECT s.person_id FROM class_instructor AS i
                           JOIN class_student AS s ON s.class_id = i.class_id
                           JOIN class AS c ON c.id = i.class_id
                           WHERE i.person_id = \(teacher) AND c.archived_at IS NULL))
                """)
        }
        return try transaction.all(
            "SELECT \(columns) FROM person WHERE \(conditions.joined(separator: " AND ")) ORDER BY id LIMIT $2",
            parameters, Person.init)
    }
}
