import Directory
import Storage
import Synchronization

/// The pairwise identifiers of every team. Their keys are unsealed once and kept, because a team's key never changes.
package final class TeamIdentifiers: Sendable {
    private let database: any Database
    private let masterKey: MasterKey
    private let opened = Mutex<[TeamID: PairwiseIdentifiers]>([:])

    package init(database: any Database, masterKey: MasterKey) {
        self.database = database
        self.masterKey = masterKey
    }

    /// - Throws: ``MasterKey/Problem/doesNotFit``; ``OAuthError`` `invalid_client` if there is no such team.
    package func of(_ team: TeamID) async throws -> PairwiseIdentifiers {
        if let known = opened.withLock({ $0[team] }) { return known }
        return try await database.read { try self.of(team, in: $0) }
    }

    /// As ``of(_:)``, within a transaction.
    package func of(_ team: TeamID, in transaction: some Transaction) throws -> PairwiseIdentifiers {
        if let known = opened.withLock({ $0[team] }) { return known }
        guard let found = try Team.find(team, in: transaction) else {
            throw OAuthError(.invalidClient, "the team is gone")
        }
        let identifiers = try found.identifiers(under: masterKey)
        opened.withLock { $0[team] = identifiers }
        return identifiers
    }
}
