import Foundation
import Storage

/// Two records of one person that were made one: which is kept, and what it got from the other, so that it can be given
/// back.
///
/// The other record stays, deactivated, with its number: the ids that apps know of it are made of that, and may never
/// lead to anybody else. So apps do not learn that the two are one; they are told that the other has left.
package struct PersonMerge: Equatable, Sendable {
    package let merged: PersonID
    package let kept: PersonID
    package let moved: Moved

    package struct Moved: Codable, Equatable, Sendable {
        package internal(set) var roles: [HeldRole] = []
        package internal(set) var memberships: [Membership] = []
        /// The devices that sign the kept person in from now on.
        package internal(set) var devices: [Int64] = []
        /// Nil if the kept record has an id of its own, or neither has one.
        package internal(set) var identity: Identity?
        /// Whether the merged record was deactivated before.
        var wasDeactivated = false
        /// Since when imports had been missing the merged record before; nil if they had not.
        var missingSince: Date?
    }

    /// A role of the merged record, as it was.
    package struct HeldRole: Codable, Equatable, Sendable {
        package let location: Int64
        package let role: Role
        let source: RecordSource
        let position: Int?
        let importID: Int64?
        /// The days of the role; nil in merges from before roles had any.
        let period: RolePeriod?
        /// Whether the kept record did not hold it.
        package internal(set) var isNew = false
        /// The days that the kept record's own role had, if they gave way to none.
        var keptPeriod: RolePeriod?

        package var assignment: RoleAssignment {
            RoleAssignment(role, at: location == 0 ? nil : LocationID(rawValue: location))
        }
    }

    /// A class of the merged record, as it was.
    package struct Membership: Codable, Equatable, Sendable {
        package let classID: Int64
        package let isStudent: Bool
        let position: Int?
        let rosterID: String?
        let importID: Int64?
        /// Whether the kept record was not in it.
        package internal(set) var isNew = false
    }

    /// The id by which imports find the person, which has passed to the kept record; and who maintained both records
    /// before.
    package struct Identity: Codable, Equatable, Sendable {
        package internal(set) var sourceID: String
        let source: RecordSource
        let formerSource: RecordSource
    }
}

extension PersonMerge {
    private static func find(
        _ condition: String, _ person: PersonID, in transaction: some Transaction
    ) throws -> PersonMerge? {
        try transaction.first(
            "SELECT merged_id, kept_id, moved FROM person_merge WHERE \(condition)", [person]
        ) { row in
            PersonMerge(
                merged: try row["merged_id"], kept: try row["kept_id"],
                moved: try JSONDecoder().decode(Moved.self, from: Data((try row["moved"] as String).utf8)))
        }
    }

    /// The merge in which this record was given up.
    package static func find(of person: PersonID, in transaction: some Transaction) throws -> PersonMerge? {
        try find("merged_id = $1", person, in: transaction)
    }

    /// The record into which this one was merged; nil if it was not.
    package static func destination(of person: PersonID, in transaction: some Transaction) throws -> PersonID? {
        try transaction.first("SELECT kept_id FROM person_merge WHERE merged_id = $1", [person]) { try $0[0] }
    }

    /// The records that were merged into this one, and those that had been merged into them.
    package static func origins(of person: PersonID, in transaction: some Transaction) throws -> [PersonID] {
        try transaction.all(
            """
            WITH RECURSIVE origin (id) AS (
                SELECT merged_id FROM person_merge WHERE kept_id = $1
                UNION
                SELECT person_merge.merged_id FROM person_merge JOIN origin ON person_merge.kept_id = origin.id
            )
            SELECT id FROM origin ORDER BY id
            """, [person]
        ) { try $0["id"] }
    }

    /// Makes two records one. The caller has asked who may do that, and whether both can be records of one person.
    /// - Throws: ``DirectoryError``
    package static func make(
        of other: Person, into kept: Person, at now: Date, in transaction: WriteTransaction
    ) throws -> PersonMerge {
        var moved = Moved()
        moved.wasDeactivated = other.state == .deactivated
        moved.missingSince =
            try transaction.first("SELECT missing_since FROM person WHERE id = $1", [other.id]) {
                try $0[0] as Date?
            } ?? nil
        moved.identity = try moveIdentity(from: other, to: kept, in: transaction)
        moved.roles = try moveRoles(
            from: other, to: kept, keepingSource: moved.identity != nil, at: now, in: transaction)
        moved.memberships = try moveMemberships(from: other, to: kept, at: now, in: transaction)
        moved.devices = try transaction.all(
            """
            UPDATE registered_device SET person_id = $2
            WHERE person_id = $1 AND thumbprint NOT IN (SELECT thumbprint FROM registered_device WHERE person_id = $2)
            RETURNING id
            """, [other.id, kept.id]
        ) { try $0[0] }
        // The roles have moved by now, so that this does not count as deactivating the last Administrator.
        try other.deactivate(at: now, in: transaction)
        try Person.touch(kept.id, at: now, in: transaction)
        // An app that must not see the merged record must not see the kept one either, and that stays so after the
        // merge is taken back. By the date of its rules an app learns that it has to read again.
        try transaction.execute(
            """
            UPDATE sharing_rules SET changed_at = $3
            WHERE id IN (SELECT rules_id FROM sharing_left_out WHERE person_id = $1)
              AND id NOT IN (SELECT rules_id FROM sharing_left_out WHERE person_id = $2)
            """, [other.id, kept.id, now])
        try transaction.execute(
            """
            INSERT INTO sharing_left_out (rules_id, person_id)
            SELECT rules_id, $2 FROM sharing_left_out WHERE person_id = $1
            ON CONFLICT (rules_id, person_id) DO NOTHING
            """, [other.id, kept.id])
        let merge = PersonMerge(merged: other.id, kept: kept.id, moved: moved)
        try transaction.execute(
            "INSERT INTO person_merge (merged_id, kept_id, merged_at, moved) VALUES ($1, $2, $3, $4)",
            [other.id, kept.id, now, String(decoding: try JSONEncoder().encode(moved), as: UTF8.self)])
        return merge
    }

    /// Gives everything back to the merged record, and makes it an account of its own again, unless it was none before.
    package func takeBack(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM person_merge WHERE merged_id = $1", [merged])
        try giveRolesBack(in: transaction)
        try giveMembershipsBack(at: now, in: transaction)
        for device in moved.devices {
            try transaction.execute(
                "UPDATE registered_device SET person_id = $2 WHERE id = $1 AND person_id = $3", [device, merged, kept])
        }
        if let identity = moved.identity {
            try transaction.execute(
                "UPDATE person SET source_id = NULL, source = $2 WHERE id = $1", [kept, identity.formerSource])
            try transaction.execute(
                "UPDATE person SET source_id = $2, source = $3 WHERE id = $1",
                [merged, identity.sourceID, identity.source])
        }
        if moved.wasDeactivated {
            try transaction.execute(
                "UPDATE person SET missing_since = $2 WHERE id = $1", [merged, moved.missingSince])
        } else {
            try Person.find(merged, in: transaction)?.reactivate(at: now, in: transaction)
        }
        try Person.touch(merged, at: now, in: transaction)
        try Person.touch(kept, at: now, in: transaction)
    }
}

/// The id by which imports find the person.
extension PersonMerge {
    /// Makes the records of merges follow an id map: they hold the id that is given back when a merge is taken back.
    /// - Parameter ids: the new id of each person, and the one that it replaces.
    static func follow(
        _ ids: [PersonID: (old: String, new: String)], in organization: OrganizationID,
        _ transaction: WriteTransaction
    ) throws {
        let merged = try transaction.all(
            """
            SELECT m.merged_id, m.kept_id FROM person_merge AS m
            JOIN person AS p ON p.id = m.kept_id
            WHERE p.organization_id = $1
            """, [organization]
        ) { (id: try $0[0] as PersonID, kept: try $0[1] as PersonID) }
        // A record can have been merged into one that was merged itself later: the last one of such a chain has the id.
        let kept = Dictionary(merged.map { ($0.id, $0.kept) }) { first, _ in first }
        func last(of person: PersonID) -> PersonID {
            var last = person
            while let next = kept[last] { last = next }
            return last
        }
        for (id, _) in merged {
            guard let merge = try find(of: id, in: transaction), let ids = ids[last(of: merge.kept)],
                merge.moved.identity?.sourceID == ids.old
            else { continue }
            var moved = merge.moved
            moved.identity?.sourceID = ids.new
            try transaction.execute(
                "UPDATE person_merge SET moved = $2 WHERE merged_id = $1",
                [id, String(decoding: try JSONEncoder().encode(moved), as: UTF8.self)])
        }
    }

    /// Only a record that has no id of its own gets the other's: an id is never given up.
    private static func moveIdentity(
        from other: Person, to kept: Person, in transaction: WriteTransaction
    ) throws -> Identity? {
        guard kept.sourceID == nil, let sourceID = other.sourceID else { return nil }
        try transaction.execute("UPDATE person SET source_id = NULL, source = 'manual' WHERE id = $1", [other.id])
        try transaction.execute(
            "UPDATE person SET source_id = $2, source = $3 WHERE id = $1", [kept.id, sourceID, other.source])
        return Identity(sourceID: sourceID, source: other.source, formerSource: kept.source)
    }
}

extension PersonMerge {
    private static let insertRole = """
        INSERT INTO role_assignment
            (person_id, location_id, role, roster_role, organization_id, source, position, import_id,
             begins_at, ends_at)
        SELECT id, $2, $3, $4, organization_id, $5, $6, $7, $8, $9 FROM person WHERE id = $1
        ON CONFLICT (person_id, location_id, role) DO NOTHING
        """

    /// - Parameter keepsSource: whether imports go on to keep the roles. If they do not find the kept record by the
    ///   other's id, they would only take the roles away.
    ///
    /// Where both hold a role, the kept record's days count, unless the other's role is one without end, and the kept
    /// one's is not: who is the last Administrator without end stays that.
    private static func moveRoles(
        from other: Person, to kept: Person, keepingSource keepsSource: Bool, at now: Date,
        in transaction: WriteTransaction
    ) throws -> [HeldRole] {
        let held = try transaction.all(
            """
            SELECT location_id, role, source, position, import_id, \(RolePeriod.columns) FROM role_assignment
            WHERE person_id = $1 ORDER BY location_id, role
            """, [other.id]
        ) { row in
            HeldRole(
                location: try row["location_id"], role: try row["role"], source: try row["source"],
                position: try row["position"], importID: try row["import_id"], period: try RolePeriod(row))
        }
        let moved = try held.map { role in
            var role = role
            if let former = try role.assignment.period(of: kept.id, in: transaction), !former.isLasting(at: now),
                role.period?.isLasting(at: now) == true
            {
                role.keptPeriod = former
                try role.set(role.period, for: kept.id, in: transaction)
            }
            role.isNew =
                try transaction.execute(
                    insertRole,
                    [
                        kept.id, role.location, role.role, role.role.rosterRole,
                        keepsSource ? role.source : .manual, role.position, role.importID, role.period?.beginsAt,
                        role.period?.endsAt,
                    ]) > 0
            return role
        }
        try transaction.execute("DELETE FROM role_assignment WHERE person_id = $1", [other.id])
        return moved
    }

    private func giveRolesBack(in transaction: WriteTransaction) throws {
        for role in moved.roles {
            if role.isNew {
                try transaction.execute(
                    "DELETE FROM role_assignment WHERE person_id = $1 AND location_id = $2 AND role = $3",
                    [kept, role.location, role.role])
            }
            if let keptPeriod = role.keptPeriod { try role.set(keptPeriod, for: kept, in: transaction) }
            try transaction.execute(
                Self.insertRole,
                [
                    merged, role.location, role.role, role.role.rosterRole, role.source, role.position, role.importID,
                    role.period?.beginsAt, role.period?.endsAt,
                ])
        }
    }
}

extension PersonMerge.HeldRole {
    fileprivate func set(_ period: RolePeriod?, for person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE role_assignment SET begins_at = $4, ends_at = $5
            WHERE person_id = $1 AND location_id = $2 AND role = $3
            """, [person, location, role, period?.beginsAt, period?.endsAt])
    }
}

extension PersonMerge {
    private static func moveMemberships(
        from other: Person, to kept: Person, at now: Date, in transaction: WriteTransaction
    ) throws -> [Membership] {
        let learning = try transaction.all(
            "SELECT class_id, roster_id, import_id FROM class_student WHERE person_id = $1 ORDER BY class_id",
            [other.id]
        ) { row in
            Membership(
                classID: try row["class_id"], isStudent: true, position: nil, rosterID: try row["roster_id"],
                importID: try row["import_id"])
        }
        let teaching = try transaction.all(
            "SELECT class_id, position, import_id FROM class_instructor WHERE person_id = $1 ORDER BY class_id",
            [other.id]
        ) { row in
            Membership(
                classID: try row["class_id"], isStudent: false, position: try row["position"], rosterID: nil,
                importID: try row["import_id"])
        }
        try RosterClass.touch(withMembers: "$2", [other.id], at: now, in: transaction)
        let moved = try (learning + teaching).map { membership in
            var membership = membership
            membership.isNew = try membership.insert(for: kept.id, in: transaction)
            return membership
        }
        for table in ["class_student", "class_instructor"] {
            try transaction.execute("DELETE FROM \(table) WHERE person_id = $1", [other.id])
        }
        return moved
    }

    private func giveMembershipsBack(at now: Date, in transaction: WriteTransaction) throws {
        for membership in moved.memberships {
            if membership.isNew { try membership.delete(for: kept, in: transaction) }
            _ = try membership.insert(for: merged, in: transaction)
        }
        try RosterClass.touch(withMembers: "$2", [merged], at: now, in: transaction)
    }
}

extension PersonMerge.Membership {
    /// - Returns: false if the person is in the class already, or the class is gone.
    fileprivate func insert(for person: PersonID, in transaction: WriteTransaction) throws -> Bool {
        let inserted =
            isStudent
            ? try transaction.execute(
                """
                INSERT INTO class_student (class_id, person_id, roster_id, import_id)
                SELECT id, $2, $3, $4 FROM class WHERE id = $1
                ON CONFLICT (class_id, person_id) DO NOTHING
                """, [classID, person, rosterID, importID])
            : try transaction.execute(
                """
                INSERT INTO class_instructor (class_id, person_id, position, import_id)
                SELECT id, $2, $3, $4 FROM class WHERE id = $1
                ON CONFLICT (class_id, person_id) DO NOTHING
                """, [classID, person, position ?? 1, importID])
        return inserted > 0
    }

    fileprivate func delete(for person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM \(isStudent ? "class_student" : "class_instructor") WHERE class_id = $1 AND person_id = $2",
            [classID, person])
    }
}
