import Directory
import Foundation
import Ground
import Storage

/// Follows up on ``Directory/Person/endSignIns(of:_:devices:in:)``, which has ended all sign-ins already: tells the
/// apps, and deletes what cannot be used any more.
///
/// An import may remove a hundred thousand people. It records them in its own transaction, and each of them is handled
/// afterwards in a transaction of its own; after a crash, the rest is found again.
package struct EndedSignIns: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    /// Number of people per query.
    private static let batch = 200

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// Tells the apps about everybody who was deactivated and about whom they have not been told yet.
    package func tellOfDepartures(by actor: Actor, from origin: Origin) async throws {
        let (now, surroundings) = (surroundings.now(), surroundings)
        while case let people = try await database.read({ try Departure.list(limit: Self.batch, in: $0) }),
            !people.isEmpty
        {
            for person in people {
                try await database.write { transaction in
                    try Self.tellOfDeparture(
                        of: person, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
                }
            }
        }
    }

    /// Tells the apps about a person who was deactivated, if they have not been told yet.
    package static func tellOfDeparture(
        of person: PersonID, by actor: Actor, from origin: Origin, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        try end(
            person, telling: true, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
    }

    /// Ends what people of an organization still have who were deactivated or whose organization was closed.
    /// - Parameter telling: false if all apps were told before a copy of the database was put in place that does not know it.
    package static func endDepartures(
        of organization: OrganizationID, telling: Bool, by actor: Actor, from origin: Origin, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        while case let people = try Departure.list(of: organization, limit: batch, in: transaction), !people.isEmpty {
            for person in people {
                try end(
                    person, telling: telling, by: actor, from: origin, at: now, surroundings: surroundings,
                    in: transaction)
            }
        }
    }

    private static func end(
        _ person: PersonID, telling: Bool, by actor: Actor, from origin: Origin, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        guard try Departure.take(person, in: transaction) else { return }
        let found = try Person.find(person, in: transaction)
        let isClosed = try found?.organizationID.map { try Organization.isClosed($0, in: transaction) } ?? false
        try close(
            isClosed && found?.state != .deactivated ? .organizationClosed : .accountDeactivated, of: person,
            telling: telling, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
    }

    /// Ends the consents of a person, and what apps and devices still hold. Each app is told, and the next sign-in to
    /// it counts as the first one.
    /// - Parameter telling: false if the apps were told before.
    /// - Returns: the number of apps.
    @discardableResult
    package static func close(
        _ end: SignInConsent.End, of person: PersonID, telling: Bool = true, by actor: Actor, from origin: Origin,
        at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Int {
        let consents = try SignInConsent.list(of: person, in: transaction)
        for consent in consents {
            try consent.end(
                end, telling: telling, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
        }
        // Spent codes are kept, because showing one again reveals a theft.
        try transaction.execute(
            "DELETE FROM authorization_code WHERE person_id = $1 AND redeemed_at IS NULL", [person])
        try transaction.execute(
            "UPDATE device_authorization SET answer = 'denied' WHERE person_id = $1 AND answer = 'allowed'", [person])
        return consents.count
    }
}
