import Directory
import Foundation
import Ground
import Storage

/// An invitation to a team. Whoever has its code joins, once: so nobody has to say, or find out, who has an account
/// here.
package struct TeamInvitation: Sendable {
    package let teamID: TeamID
    package let expiresAt: Date
    private let hash: SecretHash

    /// A week, in seconds.
    package static let lifetime: TimeInterval = 7 * 86_400
    /// How many invitations can be open for a team.
    package static let countMax = 20
}

extension TeamInvitation {
    /// - Parameter person: who invites; nil for the operator.
    /// - Returns: the code, which is shown once; nil if ``countMax`` invitations are open.
    package static func insert(
        to team: TeamID, by person: PersonID?, at now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Secret? {
        try transaction.execute("DELETE FROM team_invitation WHERE expires_at <= $1", [now])
        guard try count(of: team, at: now, in: transaction) < countMax else { return nil }
        var code = Secret(from: surroundings)
        // People type the code on command lines, where a leading hyphen would make it an option.
        while code.text.hasPrefix("-") { code = Secret(from: surroundings) }
        try transaction.execute(
            "INSERT INTO team_invitation (code_hash, team_id, invited_by, expires_at) VALUES ($1, $2, $3, $4)",
            [code.hash, team, person, now.addingTimeInterval(lifetime)])
        return code
    }

    /// The SQL condition for an invitation that counts, with the time as `$2`. It does not count if the person who made
    /// it is no member any more or was deactivated: they must not come back by their own code, nor let others in.
    private static let counts = """
        expires_at > $2 AND (invited_by IS NULL OR EXISTS (
            SELECT 1 FROM team_member AS m JOIN person AS p ON p.id = m.person_id
            WHERE m.team_id = team_invitation.team_id AND m.person_id = team_invitation.invited_by
              AND p.state <> 'deactivated'))
        """

    /// How many invitations of the team are open.
    package static func count(of team: TeamID, at now: Date, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM team_invitation WHERE team_id = $1 AND \(counts)", [team, now]
        ) { try $0[0] } ?? 0
    }

    /// The invitation with this code; nil if there is none, it has expired, or whoever made it is no member any more.
    package static func find(
        _ code: String, at now: Date, in transaction: some Transaction
    ) throws -> TeamInvitation? {
        let hash = SecretHash(of: code)
        return try transaction.first(
            "SELECT team_id, expires_at FROM team_invitation WHERE code_hash = $1 AND \(counts)", [hash, now]
        ) { TeamInvitation(teamID: try $0["team_id"], expiresAt: try $0["expires_at"], hash: hash) }
    }

    /// Makes the code void.
    /// - Returns: false if somebody else has used it.
    package func take(in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM team_invitation WHERE code_hash = $1", [hash]) > 0
    }

    /// Makes all codes of a team void.
    /// - Returns: how many there were.
    package static func withdraw(of team: TeamID, in transaction: WriteTransaction) throws -> Int {
        try transaction.execute("DELETE FROM team_invitation WHERE team_id = $1", [team])
    }
}
