import Directory
import Foundation
import Ground
import Storage

/// The transfer of an app from one team to another, for which its people have other ids. For some time tokens also have
/// a transfer identifier, by which the new team finds the records that it took over. docs/specifications/sign-in.md, 7.
package struct AppTransfer: Equatable, Sendable {
    package let from: TeamID
    package let to: TeamID
    /// ``Team/publicID`` of the new team.
    let toPublicID: String
    package let acceptedAt: Date

    /// 60 days.
    package static let window: TimeInterval = 60 * 86_400

    private static let columns = "from_team_id, to_team_id, team.public_id, accepted_at"

    private init(_ row: Row) throws {
        from = try row["from_team_id"]
        to = try row["to_team_id"]
        toPublicID = try row["public_id"]
        acceptedAt = try row["accepted_at"]
    }

    func isOpen(at now: Date) -> Bool { now < acceptedAt.addingTimeInterval(Self.window) }
}

extension AppTransfer {
    /// The last transfer of an app, if it is still open.
    package static func find(of app: AppID, at now: Date, in transaction: some Transaction) throws -> AppTransfer? {
        let last = try transaction.first(
            """
            SELECT \(columns) FROM app_transfer JOIN team ON team.id = to_team_id
            WHERE app_id = $1
            ORDER BY accepted_at DESC
            LIMIT 1
            """,
            [app], AppTransfer.init)
        return last.flatMap { $0.isOpen(at: now) ? $0 : nil }
    }

    /// The last transfer of an app before which a person had used it, however long ago.
    static func find(
        of app: AppID, with person: PersonID, in transaction: some Transaction
    ) throws -> AppTransfer? {
        try transaction.first(
            """
            SELECT \(columns) FROM app_transfer JOIN team ON team.id = to_team_id
            WHERE app_id = $1
              AND accepted_at >= (SELECT MIN(granted_at) FROM sign_in_consent WHERE app_id = $1 AND person_id = $2)
            ORDER BY accepted_at DESC
            LIMIT 1
            """,
            [app, person], AppTransfer.init)
    }
}

extension App {
    /// What a transfer has ended, besides the former team's access.
    package struct Handover: Sendable {
        /// The clients whose fixed secret has become void.
        package let clientsWithoutSecret: [String]
        /// The consents of organizations that shared their people and classes with the former team.
        package let endedConsents: [Consent]
    }

    /// Hands the app over to another team. From the next call on, its clients authenticate with that team's keys; fixed
    /// secrets, which the former team knows, become void. People's consents continue, with the ids of the new team.
    /// Organizations' consents end, because they were given to a team. The caller writes the audit trail.
    /// - Throws: ``Problem/alreadyOfTeam(_:)``
    @discardableResult
    package func transfer(
        to team: Team, at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Handover {
        guard team.id != teamID else { throw Problem.alreadyOfTeam(team.name) }
        // If there are two transfers within one second, the later one counts.
        try transaction.execute(
            """
            INSERT INTO app_transfer (app_id, from_team_id, to_team_id, accepted_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (app_id, accepted_at) DO UPDATE SET
                from_team_id = EXCLUDED.from_team_id, to_team_id = EXCLUDED.to_team_id
            """,
            [id, teamID, team.id, now])
        try transaction.execute("UPDATE app SET team_id = $2 WHERE id = $1", [id, team.id])
        try AppOffer.delete(id, in: transaction)
        let clients = try Client.dropSecrets(of: id, in: transaction)
        let consents = try Consent.list(livingOf: id, in: transaction)
        for consent in consents {
            _ = try consent.close(by: nil, at: now, surroundings: surroundings, in: transaction)
        }
        return Handover(clientsWithoutSecret: clients, endedConsents: consents)
    }
}
