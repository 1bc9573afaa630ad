import Directory
import Foundation
import Ground
import Storage

/// That an app was told of an erasure, so that it erases the person too, and whether it has answered that it knows.
package struct ErasureNotice: Equatable, Sendable {
    package enum State: String, Codable, CaseIterable, Sendable {
        case acknowledged
        /// It was told, and has not answered yet.
        case waiting
        /// It did not answer any of the attempts.
        case givenUp = "given-up"
        /// The app has no address for notifications: somebody has to write to its makers.
        case untold
    }

    package let personID: PersonID
    package let appID: AppID
    package let erasedAt: Date
    package let acknowledgedAt: Date?
    package let state: State
}

extension ErasureNotice {
    /// Tells an app that has data of a person who is being erased: `account-delete`, whether the person signs in to it
    /// or was read by it in the roster. The note of the erasure must be there.
    package static func tell(
        _ app: AppID, of person: PersonID, at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> ErasureNotice {
        let jti = try OutgoingNotification.enqueue(
            .accountDeleted, of: person, to: app, at: now, surroundings: surroundings, in: transaction)
        try transaction.execute(
            """
            INSERT INTO erasure_notice (person_id, app_id, jti) VALUES ($1, $2, $3)
            ON CONFLICT (person_id, app_id) DO NOTHING
            """, [person, app, jti])
        return ErasureNotice(
            personID: person, appID: app, erasedAt: now, acknowledgedAt: nil, state: jti == nil ? .untold : .waiting)
    }

    /// Notes that the app has taken the notification with this `jti`. Nothing happens if it is not about an erasure.
    static func acknowledge(_ jti: String, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE erasure_notice SET acknowledged_at = $2 WHERE jti = $1 AND acknowledged_at IS NULL", [jti, now])
    }

    /// Notes that the app's makers have said by other ways that they have erased the person.
    /// - Returns: false if the app was not told, or has acknowledged it already.
    package static func acknowledge(
        by app: AppID, of person: PersonID, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        try transaction.execute(
            """
            UPDATE erasure_notice SET acknowledged_at = $3
            WHERE person_id = $1 AND app_id = $2 AND acknowledged_at IS NULL
            """, [person, app, now]) > 0
    }

    package static func list(of person: PersonID, in transaction: some Transaction) throws -> [ErasureNotice] {
        try transaction.all(
            """
            SELECT notice.app_id, notice.jti, notice.acknowledged_at, erasure.erased_at,
                   EXISTS (
                       SELECT 1 FROM notification AS n WHERE n.jti = notice.jti AND n.next_attempt_at IS NOT NULL
                   ) AS waits
            FROM erasure_notice AS notice
            JOIN erasure ON erasure.person_id = notice.person_id
            WHERE notice.person_id = $1 ORDER BY notice.app_id
            """, [person]
        ) { row in
            let (jti, acknowledgedAt): (String?, Date?) = (try row["jti"], try row["acknowledged_at"])
            let waits: Bool = try row["waits"]
            return ErasureNotice(
                personID: person, appID: try row["app_id"], erasedAt: try row["erased_at"],
                acknowledgedAt: acknowledgedAt,
                state: acknowledgedAt != nil ? .acknowledged : jti == nil ? .untold : waits ? .waiting : .givenUp)
        }
    }

    /// The people of an organization of whose erasure some app has not answered, by number.
    package static func peopleNotAcknowledged(
        of organization: OrganizationID, after last: PersonID, limit: Int, in transaction: some Transaction
    ) throws -> [PersonID] {
        try transaction.all(
            """
            SELECT DISTINCT notice.person_id FROM erasure_notice AS notice
            JOIN erasure ON erasure.person_id = notice.person_id
            WHERE erasure.organization_id = $1 AND notice.acknowledged_at IS NULL AND notice.person_id > $2
            ORDER BY notice.person_id LIMIT $3
            """, [organization, last, limit]
        ) { try $0[0] }
    }
}
