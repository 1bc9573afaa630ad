import Foundation
import Storage

/// What is known of a person besides the record itself. It is read for many people at once, because a list that asked
/// for each of them and each fact would take ten times as long.
package struct PersonFacts: Sendable {
    package struct HeldRole: Equatable, Sendable {
        package let assignment: RoleAssignment
        package let period: RolePeriod
        /// Nil for the organization itself, and for a location that is archived.
        package let locationName: String?
        let studentPasswordPolicy: PasswordPolicy?
        /// The place in the order in which the import names a person's locations; nil for a role given by hand.
        let position: Int?
    }

    /// The roles of the person, in the order of location and role.
    package fileprivate(set) var roles: [HeldRole] = []
    /// The former user names in alphabetical order. Some may be kept no more, and not be deleted yet.
    package fileprivate(set) var formerUserNames: [FormerUserName] = []
    /// The record that is kept instead of this one; nil if this one was not merged into another.
    package fileprivate(set) var mergedInto: PersonID?
    /// The number of consecutive wrong passwords from unknown browsers.
    package fileprivate(set) var wrongPasswords = 0
    /// The time until which unknown browsers have to wait.
    package fileprivate(set) var pausedUntil: Date?
    /// The number of browsers in which the person has signed in before.
    package fileprivate(set) var knownBrowsers = 0

    /// The facts of somebody of whom nothing is known.
    package init() {}

    /// - Parameter own: the policy of the person's own record.
    package func passwordPolicy(own: PasswordPolicy?) -> PasswordPolicy {
        // Places that the source did not name come last.
        let ordered = roles.sorted {
            ($0.position ?? .max, $0.assignment.location ?? .none) < (
                $1.position ?? .max, $1.assignment.location ?? .none
            )
        }
        return .effective(
            own: own, roles: roles.map(\.assignment.role), locations: ordered.map(\.studentPasswordPolicy))
    }
}

extension PersonFacts {
    package static func read(of person: PersonID, in transaction: some Transaction) throws -> PersonFacts {
        try Reader(transaction: transaction, people: [person]).facts[person] ?? PersonFacts()
    }

    /// - Returns: for each of the people, also if nothing is known
    package static func read(
        of people: [PersonID], in transaction: some Transaction
    ) throws -> [PersonID: PersonFacts] {
        var facts: [PersonID: PersonFacts] = [:]
        for start in stride(from: 0, to: people.count, by: Reader.peopleMax) {
            let some = Array(people[start..<min(start + Reader.peopleMax, people.count)])
            facts.merge(try Reader(transaction: transaction, people: some).facts) { $1 }
        }
        return facts
    }
}

/// Reads the facts of some people with one query for each kind of fact.
private struct Reader {
    static let peopleMax = 100

    private(set) var facts: [PersonID: PersonFacts]
    private let parameters: [any SQLConvertible]

    init(transaction: some Transaction, people: [PersonID]) throws {
        facts = Dictionary(people.map { ($0, PersonFacts()) }) { first, _ in first }
        // The statements have one text for one person and one for many, so that databases prepare each once.
        let count = people.count == 1 ? 1 : Self.peopleMax
        parameters = people + Array(repeating: PersonID.none, count: count - people.count)
        let them = (1...count).map { "$\($0)" }.joined(separator: ", ")

        try read(
            """
            SELECT held.person_id, held.role, held.location_id, held.position, held.begins_at, held.ends_at,
                   location.student_password_policy,
                   CASE WHEN location.archived_at IS NULL THEN location.name END AS name
            FROM role_assignment AS held LEFT JOIN location ON location.id = held.location_id
            WHERE held.person_id IN (\(them)) ORDER BY held.location_id, held.role
            """, transaction
        ) { facts, row in
            let location: LocationID = try row["location_id"]
            facts.roles.append(
                PersonFacts.HeldRole(
                    assignment: RoleAssignment(try row["role"], at: location == .none ? nil : location),
                    period: try RolePeriod(row), locationName: try row["name"],
                    studentPasswordPolicy: try row["student_password_policy"],
                    position: try row["position"]))
        }
        try read(
            "SELECT \(FormerUserName.columns) FROM former_user_name WHERE person_id IN (\(them)) ORDER BY user_name",
            transaction
        ) { facts, row in facts.formerUserNames.append(try FormerUserName(row)) }
        try read(
            "SELECT merged_id AS person_id, kept_id FROM person_merge WHERE merged_id IN (\(them))", transaction
        ) { facts, row in facts.mergedInto = try row["kept_id"] }
        try read(
            "SELECT person_id, failures, paused_until FROM credential WHERE person_id IN (\(them))", transaction
        ) { facts, row in
            facts.wrongPasswords = try row["failures"]
            facts.pausedUntil = try row["paused_until"]
        }
        try read(
            """
            SELECT person_id, COUNT(*) AS browsers FROM known_browser WHERE person_id IN (\(them)) GROUP BY person_id
            """, transaction
        ) { facts, row in facts.knownBrowsers = try row["browsers"] }
    }

    private mutating func read(
        _ sql: String, _ transaction: some Transaction, _ take: (inout PersonFacts, Row) throws -> Void
    ) throws {
        try transaction.forEach(sql, parameters) { row in
            try take(&facts[try row["person_id"], default: PersonFacts()], row)
        }
    }
}
