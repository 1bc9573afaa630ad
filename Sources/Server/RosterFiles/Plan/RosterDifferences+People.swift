import Directory
import Foundation
import Storage

extension RosterDifferences {
    func comparePeople() throws {
        try findChangedPeople()
        try findMissingPeople()
        try findReplacedPeople()
    }

    /// A blank password policy does not change a pupil's; staff have none.
    ///
    /// An account created by hand that the files name is maintained by imports from now on, as in Apple School Manager.
    /// People whom an import deactivated are reactivated; those whom an administrator deactivated are not.
    private func findChangedPeople() throws {
        let isBack = Self.isGone
        let seen = """
            p.given_name <> s.given_name OR p.middle_name IS DISTINCT FROM s.middle_name
                OR p.family_name <> s.family_name OR p.email IS DISTINCT FROM s.email
                OR p.grade IS DISTINCT FROM s.grade
            """
        let unseen = """
            p.person_number IS DISTINCT FROM s.person_number OR p.sis_username IS DISTINCT FROM s.sis_username
                OR (s.file = 'staff' AND p.password_policy IS NOT NULL)
                OR (s.file = 'students' AND s.password_policy IS NOT NULL
                    AND p.password_policy IS DISTINCT FROM s.password_policy)
            """
        try write(
            """
            INSERT INTO person_difference (id, n, effect, is_visible)
            SELECT p.id, s.n,
                   CASE WHEN \(isBack) THEN 'reactivated' ELSE 'changed' END,
                   CASE WHEN \(isBack) OR \(seen) THEN 1 ELSE 0 END
            FROM known_person AS k
            JOIN staged_person AS s ON s.n = k.n
            JOIN person AS p ON p.id = k.id
            WHERE p.source = 'manual' OR p.missing_since IS NOT NULL OR \(seen) OR \(unseen)
            """)
    }

    /// SQL that is true if an import has deactivated the person `p`. The roles that files gave before then stay with
    /// the record, and hold no more.
    static var isGone: String { "(p.state = 'deactivated' AND p.missing_since IS NOT NULL)" }

    /// A person who has a role at another school, too, leaves this one and stays in the organization. Comparing the roles
    /// finds out later whether apps see that.
    private func findMissingPeople() throws {
        try write(
            """
            INSERT INTO person_difference (id, n, effect, is_visible)
            SELECT p.id, NULL, CASE WHEN \(scope.isAlsoElsewhere) THEN 'left_school' ELSE 'missing' END,
                   CASE WHEN \(scope.isAlsoElsewhere) THEN 0 ELSE 1 END
            FROM person AS p
            WHERE p.organization_id = $1 AND p.source = 'csv' AND p.state <> 'deactivated' AND \(scope.isNamedHere)
              AND NOT EXISTS (SELECT 1 FROM known_person AS k WHERE k.id = p.id)
            """,
            [organization])
    }

    /// Keeps one Administrator active if all of them are missing from the files: otherwise nobody could correct the
    /// mistake.
    func keepLastAdministrator(_ defects: DefectLog, at now: Date) throws {
        let administrators = """
            FROM role_assignment AS r
            JOIN person AS p ON p.id = r.person_id AND p.state <> 'deactivated'
            LEFT JOIN person_difference AS d ON d.id = p.id AND d.effect = 'missing'
            LEFT JOIN replaced_person AS replaced ON replaced.id = p.id
            WHERE r.organization_id = $1 AND r.role = 'administrator'
              AND \(RolePeriod.isLasting("r", at: "$2"))
            """
        guard try !transaction.exists("SELECT 1 \(administrators) AND d.id IS NULL", [organization, now]),
            let last = try transaction.first(
                """
                SELECT p.id, p.source_id, CASE WHEN replaced.id IS NULL THEN 0 ELSE 1 END AS is_replaced
                \(administrators)
                ORDER BY is_replaced, p.id
                LIMIT 1
                """,
                [organization, now],
                {
                    (
                        id: try $0["id"] as Int, sourceID: try $0["source_id"] as String?,
                        isReplaced: try $0["is_replaced"] as Bool
                    )
                })
        else { return }
        if last.isReplaced {
            return defects.report(
                .newPersonForAdministrator, in: RosterFile.staff.name, column: RosterColumn.personID.name,
                value: last.sourceID,
                "The id is to be a new person's, and its account is the last Administrator's, who would have to leave.",
                remedy: "Make somebody else an Administrator first.")
        }
        try write("DELETE FROM person_difference WHERE id = $1", [last.id])
        defects.report(
            .lastAdministrator, in: RosterFile.staff.name, column: RosterColumn.personID.name, value: last.sourceID,
            "The files do not name the last Administrator any more; this account stays active.",
            remedy: "Make somebody else an Administrator, or add the person to staff.csv again.")
    }

    /// Reports people whom the files name and who were created or deactivated by hand.
    func reportManualPeople(to defects: DefectLog) throws {
        try transaction.forEach(
            """
            SELECT s.file, s.line, s.source_id, CASE WHEN p.source = 'manual' THEN 1 ELSE 0 END AS is_manual,
                   CASE WHEN p.state = 'deactivated' AND p.missing_since IS NULL THEN 1 ELSE 0 END AS is_deactivated
            FROM known_person AS k
            JOIN staged_person AS s ON s.n = k.n
            JOIN person AS p ON p.id = k.id
            WHERE p.source = 'manual' OR (p.state = 'deactivated' AND p.missing_since IS NULL)
            ORDER BY s.n
            """
        ) { row in
            let (file, line, sourceID): (String, Int, String) = (try row["file"], try row["line"], try row["source_id"])
            let (isManual, isDeactivated): (Bool, Bool) = (try row["is_manual"], try row["is_deactivated"])
            func report(_ code: Defect.Code, _ message: String, remedy: String) {
                defects.report(
                    code, in: "\(file).csv", line: line, column: RosterColumn.personID.name, value: sourceID, message,
                    remedy: remedy)
            }
            if isManual {
                report(
                    .recordTakenOver, "This account was made by hand; from now on the files keep it.",
                    remedy: "Nothing need be done if the person_id is this person's.")
            }
            if isDeactivated {
                report(
                    .deactivatedByHand, "This person was deactivated by hand and stays so.",
                    remedy: "Activate the person by hand if that is meant.")
            }
        }
    }
}
