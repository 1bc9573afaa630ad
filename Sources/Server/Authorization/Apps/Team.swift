import Directory
import Foundation
import Ground
import Storage

/// The organization of an app's developers. A person has a different id for each team.
package struct Team: Sendable {
    package let id: TeamID
    /// 10 characters; `iss` of client secrets.
    package let publicID: String
    package let name: String
    let sealedIdentifierKey: [UInt8]
    package let createdAt: Date
    /// A team that was removed has no members, keys or apps any more. Its ids of people stay its own.
    package let removedAt: Date?

    private static let columns = "id, public_id, name, sealed_identifier_key, created_at, removed_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        publicID = try row["public_id"]
        name = try row["name"]
        sealedIdentifierKey = try row["sealed_identifier_key"]
        createdAt = try row["created_at"]
        removedAt = try row["removed_at"]
    }

    /// - Throws: ``MasterKey/Problem/doesNotFit``
    package func identifiers(under masterKey: MasterKey) throws -> PairwiseIdentifiers {
        PairwiseIdentifiers(key: try masterKey.open(sealedIdentifierKey, for: Self.purpose(publicID)))
    }

    private static func purpose(_ publicID: String) -> String { "identifiers of team \(publicID)" }
}

package struct TeamID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension Team {
    package static func insert(
        name: String, at now: Date, from surroundings: Surroundings, under masterKey: MasterKey,
        in transaction: WriteTransaction
    ) throws -> Team {
        let publicID = ShortID.make(from: surroundings)
        let sealed = try masterKey.seal(
            surroundings.randomBytes(PairwiseIdentifiers.keyBytes), for: purpose(publicID))
        return try transaction.first(
            """
            INSERT INTO team (public_id, name, sealed_identifier_key, created_at) VALUES ($1, $2, $3, $4)
            RETURNING \(columns)
            """,
            [publicID, try FieldRule.name.check(name, field: "team name"), sealed, now], Team.init
        )!  // an insert without conflict clause returns its row
    }

    package static func find(_ id: TeamID, in transaction: some Transaction) throws -> Team? {
        try transaction.first("SELECT \(columns) FROM team WHERE id = $1", [id], Team.init)
    }

    package static func find(publicID: String, in transaction: some Transaction) throws -> Team? {
        try transaction.first("SELECT \(columns) FROM team WHERE public_id = $1", [publicID], Team.init)
    }

    /// All teams that were not removed.
    package static func list(in transaction: some Transaction) throws -> [Team] {
        try transaction.all("SELECT \(columns) FROM team WHERE removed_at IS NULL ORDER BY id", [], Team.init)
    }

    package func rename(_ name: String, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE team SET name = $2 WHERE id = $1",
            [id, try FieldRule.name.check(name, unlessStill: self.name, field: "team name")])
    }

    /// Removes the team: nobody is a member of it any more, and nothing that its keys have signed is accepted. It must
    /// have no app.
    package func remove(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE team SET removed_at = $2 WHERE id = $1", [id, now])
        try transaction.execute(
            "UPDATE team_key SET revoked_at = $2 WHERE team_id = $1 AND revoked_at IS NULL", [id, now])
        for table in ["team_member", "team_invitation", "relay_sender"] {
            try transaction.execute("DELETE FROM \(table) WHERE team_id = $1", [id])
        }
        try transaction.execute("DELETE FROM app_offer WHERE to_team_id = $1", [id])
    }

    /// Makes a person a member, who looks after the team and its apps, and may use the test scope for them.
    package func add(member: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "INSERT INTO team_member (team_id, person_id) VALUES ($1, $2) ON CONFLICT (team_id, person_id) DO NOTHING",
            [id, member])
    }

    /// - Returns: false if the person was no member.
    package func remove(member: PersonID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM team_member WHERE team_id = $1 AND person_id = $2", [id, member]) > 0
    }

    package static func isMember(_ person: PersonID, of team: TeamID, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM team_member WHERE team_id = $1 AND person_id = $2", [team, person])
    }
}

extension Team {
    /// The people who look after the team and its apps.
    package static func members(of team: TeamID, in transaction: some Transaction) throws -> [PersonID] {
        try transaction.all(
            "SELECT person_id FROM team_member WHERE team_id = $1 ORDER BY person_id", [team]
        ) { try $0[0] }
    }

    /// The teams of which a person is a member.
    package static func ids(of person: PersonID, in transaction: some Transaction) throws -> Set<TeamID> {
        Set(try transaction.all("SELECT team_id FROM team_member WHERE person_id = $1", [person]) { try $0[0] })
    }
}
