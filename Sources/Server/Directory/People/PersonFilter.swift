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
    /// Text that is part of a name, the user name, the email address or the person id, ignoring case and accents.
    package let text: String?

    package init(
        role: Role? = nil, state: Person.State? = nil, location: LocationID? = nil, rosterClass: ClassID? = nil,
        text: String? = nil
    ) {
        self.role = role
        self.state = state
        self.location = location
        self.rosterClass = rosterClass
        self.text = text
    }

    func matchesText(of person: Person) -> Bool {
        guard let text else { return true }
        let fields = [
            person.fullName, person.middleName, "\(person.familyName) \(person.givenName)", person.userName,
            person.email,
            person.sourceID,
        ]
        return fields.compactMap { $0 }.joined(separator: "\n")
            .range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
}

extension Person {
    /// The next `limit` people after `last` whom the filter lets through, by id, deactivated ones included.
    /// - Parameter organization: nil for personal accounts.
    package static func page(
        of organization: OrganizationID?, matching filter: PersonFilter, after last: PersonID = .none, limit: Int,
        in transaction: some Transaction
    ) throws -> [Person] {
        var people: [Person] = []
        var last = last
        while people.count < limit {
            let batch = try batch(of: organization, matching: filter, after: last, in: transaction)
            people += batch.filter(filter.matchesText(of:)).prefix(limit - people.count)
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
        var conditions = ["id > $1"]
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
        return try transaction.all(
            "SELECT \(columns) FROM person WHERE \(conditions.joined(separator: " AND ")) ORDER BY id LIMIT $2",
            parameters, Person.init)
    }
}
