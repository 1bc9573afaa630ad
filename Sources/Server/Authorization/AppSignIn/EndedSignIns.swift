import Directory
import Foundation
import Ground
import Storage

/// What comes after ``Directory/Person/endSignIns(of:_:devices:in:)``, which has ended everything already: the apps hear of
/// it, and what cannot be used any more is put away.
///
/// Who leaves by an import may be one of a hundred thousand. The import notes them in its own transaction, and they are gone
/// through one by one afterwards, in transactions of their own; what a crash leaves is found again.
package struct EndedSignIns: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    /// People looked for at a time.
    private static let batch = 200

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// Tells the apps of everybody who was deactivated and whose apps do not know yet.
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

    /// Tells the apps of somebody who was deactivated, if they do not know yet.
    package static func tellOfDeparture(
        of person: PersonID, by actor: Actor, from origin: Origin, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        guard try Departure.take(person, in: transaction) else { return }
        try close(
            .accountDeactivated, of: person, by: actor, from: origin, at: now, surroundings: surroundings,
            in: transaction)
    }

    /// Ends the consents of a person, so that each app is told and the next sign-in to it is a first one, and what apps
    /// and devices still hold of the person.
    /// - Returns: how many apps that concerned.
    @discardableResult
    package static func close(
        _ end: SignInConsent.End, of person: PersonID, by actor: Actor, from origin: Origin, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Int {
        let consents = try SignInConsent.list(of: person, in: transaction)
        for consent in consents {
            try consent.end(end, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
        }
        // Codes that were spent are remembered: whoever shows one again is a thief.
        try transaction.execute(
            "DELETE FROM authorization_code WHERE person_id = $1 AND redeemed_at IS NULL", [person])
        try transaction.execute(
            "UPDATE device_authorization SET answer = 'denied' WHERE person_id = $1 AND answer = 'allowed'", [person])
        return consents.count
    }
}
