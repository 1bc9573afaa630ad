import Foundation
import Storage

/// What is at a location is of its organization. These statements do not name the organization, because SQLite would then go
/// through all that the organization has.
extension Location {
    /// How far what belongs to a location is counted: beyond, a number says only that there are more.
    package static let countedMax = 1_000

    /// How many hold a role at the location, deactivated people included.
    package struct Holders: Sendable {
        /// The roles that somebody holds, in the order of ``Role``. A person with several counts for each.
        package let roles: [(role: Role, number: Int)]
        package let people: Int
    }

    /// Each number is exact up to ``countedMax``, and ``countedMax`` + 1 where there are more.
    package func holders(in transaction: some Transaction) throws -> Holders {
        let roles = try Role.allCases.map { ($0, try countHolders(of: $0, in: transaction)) }.filter { $0.1 > 0 }
        let pupils = roles.first { $0.0 == .student }?.1 ?? 0
        return Holders(roles: roles, people: try countPeople(pupils: pupils, in: transaction))
    }

    /// How many people hold a role at the location; counted as ``holders(in:)`` does.
    package func countPeople(in transaction: some Transaction) throws -> Int {
        try countPeople(pupils: countHolders(of: .student, in: transaction), in: transaction)
    }

    private func countPeople(pupils: Int, in transaction: some Transaction) throws -> Int {
        // Most who belong to a location are its pupils, and are not looked at again. Who has several of the other roles
        // counts with the first by name.
        let others = try count(
            """
            SELECT 1 FROM role_assignment AS held
            WHERE held.location_id = $1 AND held.role IN (\(Self.rolesButStudent)) AND NOT EXISTS (
                SELECT 1 FROM role_assignment AS counted
                WHERE counted.person_id = held.person_id AND counted.location_id = $1
                    AND (counted.role = 'student' OR counted.role < held.role)
            )
            """, [id], in: transaction)
        return min(pupils + others, Self.countedMax + 1)
    }

    /// As a list in SQL. A search for roles that are not `student` would go through all pupils.
    private static let rolesButStudent = Role.allCases.filter { $0 != .student }.sqlList

    private func countHolders(of role: Role, in transaction: some Transaction) throws -> Int {
        try count("SELECT 1 FROM role_assignment WHERE location_id = $1 AND role = $2", [id, role], in: transaction)
    }

    /// How many people hold a role at the location that is not over, as far as ``LocationUse`` counts. Deactivated people hold none,
    /// but for those whom the files have left out and who were given the role by hand: the next files that name them bring
    /// them back with it.
    func countStandingHolders(at now: Date, in transaction: some Transaction) throws -> Int {
        // Who has several roles counts with the first by name. With DISTINCT, the databases would find everybody first and then
        // count the few that are asked for.
        try count(
            """
            SELECT 1 FROM role_assignment AS held
            JOIN person ON person.id = held.person_id AND (
                person.state <> 'deactivated' OR (person.missing_since IS NOT NULL AND held.source = 'manual')
            )
            WHERE held.location_id = $1 AND \(RolePeriod.isNotOver("held", at: "$2")) AND NOT EXISTS (
                SELECT 1 FROM role_assignment AS counted
                WHERE counted.person_id = held.person_id AND counted.location_id = $1 AND counted.role < held.role
                    AND (person.state <> 'deactivated' OR counted.source = 'manual')
                    AND \(RolePeriod.isNotOver("counted", at: "$2"))
            )
            """, [id, now], upTo: LocationUse.countedMax, in: transaction)
    }

    /// How many classes are at the location, archived ones not included; counted as people.
    package func countClasses(in transaction: some Transaction) throws -> Int {
        try count(
            "SELECT id FROM class WHERE location_id = $1 AND archived_at IS NULL", [id], in: transaction)
    }

    /// How many classes are at the location or have their course there, archived ones not included, as far as
    /// ``LocationUse`` counts.
    func countStandingClasses(in transaction: some Transaction) throws -> Int {
        try count(
            """
            SELECT id FROM class WHERE location_id = $1 AND archived_at IS NULL
            UNION ALL
            SELECT class.id FROM course JOIN class ON class.course_id = course.id
            WHERE course.location_id = $1 AND class.archived_at IS NULL AND class.location_id IS DISTINCT FROM $1
            """, [id], upTo: LocationUse.countedMax, in: transaction)
    }

    /// How many archived classes are at the location; counted as people.
    package func countArchivedClasses(in transaction: some Transaction) throws -> Int {
        try count(
            "SELECT id FROM class WHERE location_id = $1 AND archived_at IS NOT NULL", [id], in: transaction)
    }

    /// How many of the organization's sharing rules name the location; counted as people.
    package func countSharingRules(in transaction: some Transaction) throws -> Int {
        try count(
            """
            SELECT named.rules_id FROM sharing_location AS named
            JOIN sharing_rules AS rules ON rules.id = named.rules_id
            WHERE named.location_id = $1 AND rules.organization_id = $2
            """, [id, organizationID], in: transaction)
    }

    private func count(
        _ rows: String, _ parameters: [any SQLConvertible], upTo max: Int = countedMax, in transaction: some Transaction
    ) throws -> Int { try transaction.count(rows, parameters, upTo: max + 1) }
}
