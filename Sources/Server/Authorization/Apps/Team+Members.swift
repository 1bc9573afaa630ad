import Directory
import Storage

extension Team {
    /// The people who may sign in for the team on the consent page of the test scope.
    package static func members(of team: TeamID, in transaction: some Transaction) throws -> [PersonID] {
        try transaction.all(
            "SELECT person_id FROM team_member WHERE team_id = $1 ORDER BY person_id", [team]
        ) { try $0[0] }
    }
}
