import Foundation

/// ``SharingRules`` as conditions in the queries of rosters. Nothing else makes SQL of the rules.
///
/// The sets themselves stay in the database, where a query looks up what it needs. So a query has the same text
/// whatever is in them, and asks nothing where there are no rules.
package struct SharingFilter: Equatable, Sendable {
    /// The id of the rules, by which their sets are found in the tables `sharing_…`.
    let rules: Int64
    let limitsLocations: Bool
    let limitsGrades: Bool
    let limitsClasses: Bool
    let leavesOut: Bool
    let roles: Set<RosterRole>?
    let withheld: Set<SharedField>
    /// When the rules were changed last. For the app all records have changed then: it cannot know which ones it got
    /// or lost, and would otherwise keep what it must not see any more.
    let changedAt: Date
    /// The time of the question, because a role counts only on its days.
    let now: Date

    package init(
        rules: Int64, limitsLocations: Bool, limitsGrades: Bool, limitsClasses: Bool, leavesOut: Bool,
        roles: Set<RosterRole>?, withheld: Set<SharedField>, changedAt: Date, at now: Date
    ) {
        self.rules = rules
        self.limitsLocations = limitsLocations
        self.limitsGrades = limitsGrades
        self.limitsClasses = limitsClasses
        self.leavesOut = leavesOut
        self.roles = roles
        self.withheld = withheld
        self.changedAt = changedAt
        self.now = now
    }

    /// No rules: queries stay as they are without this type, so that the time does not matter.
    package static let everything = SharingFilter(
        rules: 0, limitsLocations: false, limitsGrades: false, limitsClasses: false, leavesOut: false, roles: nil,
        withheld: [], changedAt: .distantPast, at: .distantPast)
}

/// Conditions, each with ` AND ` before it; empty where nothing is limited. They have the same names as the functions
/// of ``SharingRules``. Everything that is written into them is a number or a word of this program.
extension SharingFilter {
    /// - Parameter class: the name of a row of `class`.
    func sharesClass(_ class: String) -> String {
        var condition = ""
        if limitsClasses { condition += has("sharing_class", "class_id", "\(`class`).id") }
        if limitsLocations {
            condition += has("sharing_location", "location_id", "COALESCE(\(`class`).location_id, 0)")
        }
        return condition
    }

    /// - Parameters:
    ///   - held: the name of a row of `role_assignment`.
    ///   - person: that of the row of `person` who holds it.
    func sharesRole(_ held: String, of person: String) -> String {
        var condition = sharesRoleApartFromGrade(held)
        if limitsGrades {
            condition += """
                 AND (\(held).roster_role <> '\(RosterRole.student.rawValue)' OR \(isIn(
                    "sharing_grade", "grade", "\(person).grade")))
                """
        }
        return condition
    }

    private func sharesRoleApartFromGrade(_ held: String) -> String {
        var condition = ""
        // If all are shared, a role need not be compared with each.
        if let roles, roles.count < RosterRole.allCases.count {
            condition += roles.isEmpty ? Self.never : " AND \(held).roster_role IN (\(roles.sqlList))"
        }
        // `IS TRUE` keeps SQLite from starting with the index of a location, where pages follow another order, and
        // PostgreSQL from a join that looks the place up for each role.
        if limitsLocations {
            condition += " AND (\(isIn("sharing_location", "location_id", "\(held).location_id"))) IS TRUE"
        }
        return condition
    }

    /// Whether the rules keep anybody back.
    var limitsPeople: Bool { limitsRoles || limitsClasses || leavesOut }

    /// Whether the rules keep any class back.
    var limitsClassRecords: Bool { limitsClasses || limitsLocations }

    /// Whether the rules share only who holds a role that they share.
    var limitsRoles: Bool { roles != nil || limitsLocations || limitsGrades }

    /// - Parameters:
    ///   - person: the name of a row of `person`.
    ///   - now: the placeholder of ``now``, such as `$3`.
    func sharesPerson(_ person: String, at now: String) -> String {
        sharesPerson(person, with: sharesRole("shared_role", of: person), at: now)
    }

    /// - Parameters:
    ///   - id: the person's id, where another row has it too.
    ///   - role: the conditions for a row `shared_role` of `role_assignment`.
    private func sharesPerson(_ person: String, by id: String? = nil, with role: String, at now: String) -> String {
        guard limitsRoles else { return sharesPersonWithAnyRole(person, by: id) }
        return """
            \(sharesPersonWithAnyRole(person, by: id)) AND EXISTS (
                SELECT 1 FROM role_assignment AS shared_role WHERE shared_role.person_id = \(person).id\(role)
                    AND \(RolePeriod.isInForce("shared_role", at: now))
            )
            """
    }

    /// The conditions of ``sharesPerson(_:at:)`` but for a role that is shared, for a query that reads such roles
    /// itself. Where there are ``limitsRoles``, whoever has none of those now is not shared.
    /// - Parameter id: the person's id, where another row has it too.
    func sharesPersonWithAnyRole(_ person: String, by id: String? = nil) -> String {
        var condition = ""
        if leavesOut { condition += " AND NOT \(isIn("sharing_left_out", "person_id", id ?? "\(person).id"))" }
        if limitsClasses {
            let memberships = ["class_student", "class_instructor"].map { table in
                // The unary plus keeps SQLite from starting with the index of all classes of the organization.
                """
                EXISTS (
                    SELECT 1 FROM \(table) AS shared_member
                    JOIN class AS shared_class ON shared_class.id = shared_member.class_id
                        AND +shared_class.organization_id = \(person).organization_id
                    WHERE shared_member.person_id = \(person).id
                      AND shared_class.archived_at IS NULL\(sharesClass("shared_class"))
                )
                """
            }
            condition += " AND (\(memberships.joined(separator: " OR ")))"
        }
        return condition
    }

    /// - Parameter grade: SQL that gives the grade of the member.
    func sharesMember(as role: RosterRole, grade: String) -> String {
        if roles?.contains(role) == false { return Self.never }
        return role == .student && limitsGrades ? has("sharing_grade", "grade", grade) : ""
    }

    /// The conditions of ``sharesMember(as:grade:)`` and ``sharesPerson(_:at:)`` together.
    /// - Parameter id: the column of the membership that has the person's id. Who is left out is asked of it: PostgreSQL
    ///   takes a set for one in which half of all are, and would rather read all people than look for half of the members.
    func sharesMember(_ person: String, by id: String, as role: RosterRole, at now: String) -> String {
        let member = sharesMember(as: role, grade: "\(person).grade")
        // The grade is one of the person: where it is shared for the class, it is for all roles.
        let held =
            role == .student && limitsGrades
            ? sharesRoleApartFromGrade("shared_role") : sharesRole("shared_role", of: person)
        return member + sharesPerson(person, by: id, with: held, at: now)
    }

    /// The column, or nothing in its place if the field is withheld.
    func column(_ column: String, of field: SharedField, otherwise nothing: String = "CAST(NULL AS TEXT)") -> String {
        guard withheld.contains(field) else { return column }
        let name = column.split(separator: ".").last ?? ""
        return "\(nothing) AS \(name)"
    }

    /// When the record has changed for the app.
    func modifiedAt(_ date: Date) -> Date { max(date, changedAt) }

    private static let never = " AND 1 = 0"

    private func has(_ table: String, _ column: String, _ value: String) -> String {
        " AND \(isIn(table, column, value))"
    }

    /// The set is collected once for a query, which costs a crawl less than looking up each value.
    private func isIn(_ table: String, _ column: String, _ value: String) -> String {
        "\(value) IN (SELECT rule.\(column) FROM \(table) AS rule WHERE rule.rules_id = \(rules))"
    }
}
