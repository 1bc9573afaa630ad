import Directory
import Foundation
import Ground
import Storage

/// Signs people out of the apps that their organization does not allow any more, and tells the apps about each person.
///
/// The rule itself takes effect on the next call of an app. The sweep follows in many small transactions, so that
/// signing out a million people blocks nothing else. The rule records up to which of its versions this was done, so
/// that a sweep is resumed after a crash.
package struct AccessRuleSweep: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    /// Number of people per transaction.
    private let batch: Int

    package init(database: any Database, surroundings: Surroundings, batch: Int = 200) {
        self.database = database
        self.surroundings = surroundings
        self.batch = batch
    }

    /// - Returns: the number of people who were signed out.
    @discardableResult
    package func run(in organization: OrganizationID, by actor: Actor, from origin: Origin) async throws -> Int {
        let (version, apps) = try await database.read { transaction in
            (
                try AccessRule.find(.signIn, of: organization, in: transaction).version,
                try App.list(in: transaction)
            )
        }
        var people: Set<PersonID> = []
        for app in apps {
            var last = PersonID.none
            while let (ended, next) = try await end(app, in: organization, after: last, by: actor, from: origin) {
                people.formUnion(ended)
                last = next
            }
        }
        try await database.write { transaction in
            try transaction.execute(
                """
                UPDATE access_rule SET applied_version = $3
                WHERE organization_id = $1 AND purpose = $2 AND applied_version < $3
                """,
                [organization, AccessRule.Purpose.signIn, version])
        }
        return people.count
    }

    /// Completes what is still to be done for all organizations.
    package func finish() async throws {
        let left: [OrganizationID] = try await database.read { transaction in
            try transaction.all(
                "SELECT organization_id FROM access_rule WHERE purpose = $1 AND applied_version < version",
                [AccessRule.Purpose.signIn]
            ) { try $0[0] }
        }
        for organization in left { try await run(in: organization, by: .system, from: .system) }
    }

    /// - Returns: the people whose consents ended, and the last person looked at; nil if none are left, or the app is
    ///   allowed.
    private func end(
        _ app: App, in organization: OrganizationID, after last: PersonID, by actor: Actor, from origin: Origin
    ) async throws -> (ended: Set<PersonID>, last: PersonID)? {
        let (now, surroundings, batch) = (surroundings.now(), surroundings, batch)
        @Sendable func consents(_ transaction: some Transaction) throws -> [SignInConsent] {
            // The current rule decides, because it may have been changed back.
            guard try !AccessRule.find(.signIn, of: organization, in: transaction).allows(app) else { return [] }
            return try SignInConsent.list(
                livingOf: app.id, in: organization, after: last, limit: batch, in: transaction)
        }
        // A read first avoids the write, since most apps have no people to sign out.
        guard try await database.read({ try !consents($0).isEmpty }) else { return nil }
        return try await database.write { transaction in
            let living = try consents(transaction)
            guard let last = living.last?.personID else { return nil }
            let ended = try living.filter {
                try $0.end(
                    .organization, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
            }
            return (Set(ended.map(\.personID)), last)
        }
    }
}
