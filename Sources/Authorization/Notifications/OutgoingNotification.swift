import Directory
import Foundation
import Storage

/// A message to an app's server that waits in the database until it was delivered, so that a restart loses none.
package struct OutgoingNotification: Sendable {
    package let id: Int
    package let appID: AppID
    /// The same at each attempt: the app may get a message twice, and knows it by this.
    package let jti: String
    package let url: String
    /// So many were made before.
    package let attempts: Int
    package let claims: NotificationClaims
}

/// The signed content: two shapes, as the service that we are compatible with documents one and sends the other.
package enum NotificationClaims: Encodable, Equatable, Sendable {
    /// Of an organization's consent: `events` is an array, the scopes are one string, times are seconds.
    case organization(Organization)
    /// Of a person who signs in: `events` is a JSON text, times in it are milliseconds. sign-in.md section 5.
    case person(Person)

    package struct Organization: Encodable, Equatable, Sendable {
        package let iss: String
        package let aud: String
        package let iat: Int
        package let jti: String
        package let events: [Event]

        package struct Event: Encodable, Equatable, Sendable {
            package let type: String
            package let sub: String
            package let orgID: String
            package let scopes: String
            package let eventTime: Int

            enum CodingKeys: String, CodingKey {
                case type, sub, scopes
                case orgID = "org_id"
                case eventTime = "event_time"
            }
        }
    }

    package struct Person: Encodable, Equatable, Sendable {
        package let iss: String
        package let aud: String
        package let iat: Int
        package let exp: Int
        package let jti: String
        package let events: String

        /// Seconds.
        static let lifetime = 86_400

        package struct Event: Encodable, Equatable, Sendable {
            package let type: String
            package let sub: String
            package let eventTime: Int
            package let email: String?
            /// A text, "true".
            package let isPrivateEmail: String?

            enum CodingKeys: String, CodingKey {
                case type, sub, email
                case eventTime = "event_time"
                case isPrivateEmail = "is_private_email"
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .organization(let claims): try claims.encode(to: encoder)
        case .person(let claims): try claims.encode(to: encoder)
        }
    }
}

extension OutgoingNotification {
    /// What is stored: the event with internal ids. Issuer, audience and the pairwise id are put in when it is sent.
    struct Event: Codable, Sendable {
        let type: String
        let person: Int64
        /// Of an organization's consent only.
        var organization: Int64?
        var scopes: String?
        /// Seconds; milliseconds if a person's.
        let eventTime: Int
        /// A hidden address.
        var email: String?
    }

    /// What happened to a person's account, for an app.
    package enum PersonEvent: Sendable {
        case consentRevoked
        case accountDeleted
        case emailDisabled(hiddenAddress: String)
        case emailEnabled(hiddenAddress: String)

        var type: String {
            switch self {
            case .consentRevoked: "consent-revoked"
            // So the clients that are there; the current page of that service says `account-deleted`.
            case .accountDeleted: "account-delete"
            case .emailDisabled: "email-disabled"
            case .emailEnabled: "email-enabled"
            }
        }

        var hiddenAddress: String? {
            switch self {
            case .emailDisabled(let address), .emailEnabled(let address): address
            case .consentRevoked, .accountDeleted: nil
            }
        }
    }

    /// Tells the app of what happened to a person who signs in to it.
    package static func enqueue(
        _ event: PersonEvent, of person: PersonID, to app: AppID, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        let stored = Event(
            type: event.type, person: person.rawValue, eventTime: Int(now.timeIntervalSince1970 * 1_000),
            email: event.hiddenAddress)
        // As these have looked for years: 22 characters of base64url.
        let jti = Data(surroundings.randomBytes(16)).base64URLEncoded
        try enqueue(stored, jti: jti, to: app, at: now, in: transaction)
    }

    static func enqueueConsentRevoked(
        _ consent: Consent, by person: PersonID, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        let stored = Event(
            type: "consent-revoked", person: person.rawValue, organization: consent.organizationID.rawValue,
            scopes: consent.scopes.text, eventTime: Int(now.timeIntervalSince1970))
        try enqueue(stored, jti: makeUUID(from: surroundings), to: consent.appID, at: now, in: transaction)
    }

    /// Nothing, if the app has no address for it.
    private static func enqueue(
        _ event: Event, jti: String, to app: AppID, at now: Date, in transaction: WriteTransaction
    ) throws {
        guard let app = try App.find(app, in: transaction), app.notificationURL != nil else { return }
        try transaction.execute(
            "INSERT INTO notification (app_id, jti, claims, created_at, next_attempt_at) VALUES ($1, $2, $3, $4, $4)",
            [app.id, jti, String(decoding: try JSONEncoder().encode(event), as: UTF8.self), now])
    }

    private static func makeUUID(from surroundings: Surroundings) -> String {
        let b = surroundings.randomBytes(16)
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0f | 0x40, b[7], b[8] & 0x3f | 0x80, b[9], b[10], b[11],
                b[12],
                b[13], b[14], b[15]
            )
        ).uuidString.lowercased()
    }
}

/// The queue of notifications: what is due, and what became of it.
package struct NotificationOutbox: Sendable {
    private let database: any Database
    private let teamIdentifiers: TeamIdentifiers
    private let keys: ServerKeys
    /// Of organizations' consents.
    private let rosterIssuer: String
    /// Of people who sign in.
    private let issuer: String
    private let now: @Sendable () -> Date

    package init(
        database: any Database, teamIdentifiers: TeamIdentifiers, keys: ServerKeys, rosterIssuer: String,
        issuer: String, now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.teamIdentifiers = teamIdentifiers
        self.keys = keys
        self.rosterIssuer = rosterIssuer
        self.issuer = issuer
        self.now = now
    }

    /// Pauses before the second, third … attempt, about three days in all. Then the operator is told.
    package static let pauses: [TimeInterval] = [
        10, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 43_200, 43_200, 43_200,
    ]
    /// While an attempt is under way nobody else takes the message; a crash in its middle delays it so long.
    private static let lease: TimeInterval = 60

    /// Takes up to `limit` messages whose time has come.
    /// - Parameter limitPerApp: so many for one app: others do not wait behind everything that it gets. Nil: no limit.
    package func takeDue(limit: Int, limitPerApp: Int? = nil) async throws -> [OutgoingNotification] {
        let now = now()
        struct Row: Sendable {
            let id: Int
            let appID: AppID
            let jti: String
            let stored: String
            let createdAt: Date
            let attempts: Int
        }
        struct Taken: Sendable {
            let row: Row
            let event: OutgoingNotification.Event
            let app: App
            let clientID: String
            let organization: Organization?
            let person: Person
        }
        // Most of the time nothing is due, and a read tells so without writing.
        let isDue = try await database.read {
            try $0.exists("SELECT 1 FROM notification WHERE next_attempt_at <= $1", [now])
        }
        guard isDue else { return [] }
        let taken = try await database.write { transaction -> [Taken] in
            // In any order: if there are always more apps than fit, each has its turn.
            let apps = try transaction.all(
                """
                SELECT id FROM app
                WHERE EXISTS (SELECT 1 FROM notification WHERE app_id = app.id AND next_attempt_at <= $1)
                ORDER BY RANDOM()
                """,
                [now]
            ) { try $0[0] as AppID }
            var rows: [Row] = []
            for app in apps where rows.count < limit {
                rows += try transaction.all(
                    """
                    UPDATE notification SET next_attempt_at = $2
                    WHERE id IN (
                        SELECT id FROM notification
                        WHERE app_id = $3 AND next_attempt_at <= $1
                        ORDER BY next_attempt_at, id
                        LIMIT $4
                    )
                    RETURNING id, app_id, jti, claims, created_at, attempts
                    """,
                    [now, now.addingTimeInterval(Self.lease), app, min(limitPerApp ?? limit, limit - rows.count)]
                ) { row in
                    Row(
                        id: try row[0], appID: try row[1], jti: try row[2], stored: try row[3], createdAt: try row[4],
                        attempts: try row[5])
                }
            }
            return try rows.compactMap { row in
                let event = try JSONDecoder().decode(OutgoingNotification.Event.self, from: Data(row.stored.utf8))
                guard let app = try App.find(row.appID, in: transaction),
                    let clientID = try App.clientIDs(of: row.appID, in: transaction).first,
                    let person = try Person.find(PersonID(rawValue: event.person), in: transaction)
                else { return try giveUp(row.id, "the app or the person is gone", in: transaction) }
                let organization = try event.organization.flatMap {
                    try Organization.find(OrganizationID(rawValue: $0), in: transaction)
                }
                guard (organization == nil) == (event.organization == nil) else {
                    return try giveUp(row.id, "the organization is gone", in: transaction)
                }
                return Taken(
                    row: row, event: event, app: app, clientID: clientID, organization: organization, person: person)
            }
        }
        var notifications: [OutgoingNotification] = []
        for taken in taken {
            let identifiers = try await teamIdentifiers.of(taken.app.teamID)
            let sub = identifiers.text(of: taken.person.id, in: taken.person.organizationID)
            notifications.append(
                OutgoingNotification(
                    id: taken.row.id, appID: taken.row.appID, jti: taken.row.jti,
                    url: taken.app.notificationURL ?? "", attempts: taken.row.attempts,
                    claims: try claims(
                        of: taken.event, sub: sub, organization: taken.organization, to: taken.clientID,
                        jti: taken.row.jti, at: now)))
        }
        return notifications
    }

    /// Nobody is left to be told, or to be told about.
    private func giveUp<Value>(_ id: Int, _ reason: String, in transaction: WriteTransaction) throws -> Value? {
        try transaction.execute(
            "UPDATE notification SET next_attempt_at = NULL, last_error = $2, claims = '' WHERE id = $1", [id, reason])
        return nil
    }

    private func claims(
        of event: OutgoingNotification.Event, sub: String, organization: Organization?, to clientID: String,
        jti: String, at now: Date
    ) throws -> NotificationClaims {
        let issuedAt = Int(now.timeIntervalSince1970)
        if let organization {
            return .organization(
                .init(
                    iss: rosterIssuer, aud: clientID, iat: issuedAt, jti: jti,
                    events: [
                        .init(
                            type: event.type, sub: sub, orgID: organization.publicID, scopes: event.scopes ?? "",
                            eventTime: event.eventTime)
                    ]))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let inner = NotificationClaims.Person.Event(
            type: event.type, sub: sub, eventTime: event.eventTime, email: event.email,
            isPrivateEmail: event.email == nil ? nil : "true")
        return .person(
            .init(
                iss: issuer, aud: clientID, iat: issuedAt, exp: issuedAt + NotificationClaims.Person.lifetime, jti: jti,
                events: String(decoding: try encoder.encode(inner), as: UTF8.self)))
    }

    /// The body of the request: `{"payload": "<JWS>"}`, signed RS256.
    package func body(of notification: OutgoingNotification) async throws -> String {
        // The characters of a JWS need no escaping.
        "{\"payload\":\"\(try await keys.signing.current(.rs256).sign(notification.claims))\"}"
    }

    /// A delivered message is deleted: it tells what is nobody's business any more, such as whose a hidden address was.
    package func recordDelivery(of notification: OutgoingNotification) async throws {
        try await database.write { try $0.execute("DELETE FROM notification WHERE id = $1", [notification.id]) }
    }

    /// What a message that was given up tells is forgotten at once.
    /// - Parameters:
    ///   - error: a status or the kind of failure; no content of the other side.
    ///   - isSilence: there was no answer at all. Whatever else is due for the app would have got none either, and counts
    ///     as tried: an app that is away costs one attempt's time, however much waits for it.
    /// - Returns: when the next attempt is due, nil if that was the last.
    @discardableResult
    package func recordFailure(
        of notification: OutgoingNotification, error: String, isSilence: Bool = false
    ) async throws -> Date? {
        let (now, error) = (now(), String(error.prefix(512)))
        try await database.write { transaction in
            try Self.fail("id = $3", notification.id, error, at: now, in: transaction)
            if isSilence {
                try Self.fail(
                    "app_id = $3 AND next_attempt_at <= $1", notification.appID, error, at: now, in: transaction)
            }
        }
        return Self.pauses.indices.contains(notification.attempts)
            ? now.addingTimeInterval(Self.pauses[notification.attempts]) : nil
    }

    private static func fail(
        _ condition: String, _ value: any SQLConvertible, _ error: String, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        let cases = pauses.enumerated().map { "WHEN \($0) THEN \(Int($1))" }.joined(separator: " ")
        try transaction.execute(
            """
            UPDATE notification
            SET attempts = attempts + 1, next_attempt_at = CAST($1 AS BIGINT) + CASE attempts \(cases) END,
                last_error = $2, claims = CASE WHEN attempts < \(pauses.count) THEN claims ELSE '' END
            WHERE \(condition)
            """,
            [now, error, value])
    }

    /// How many messages wait, and how many were given up: for the operator.
    package static func backlog(in transaction: some Transaction) throws -> (waiting: Int, givenUp: Int) {
        try transaction.first(
            """
            SELECT COUNT(CASE WHEN next_attempt_at IS NOT NULL THEN 1 END),
                   COUNT(CASE WHEN next_attempt_at IS NULL THEN 1 END)
            FROM notification
            """
        ) { (try $0[0], try $0[1]) } ?? (0, 0)
    }

    /// What was given up so long ago is told to nobody any more.
    private static let memory: TimeInterval = 30 * 86_400

    package static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM notification WHERE next_attempt_at IS NULL AND created_at <= $1",
            [now.addingTimeInterval(-memory)])
    }

    package static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM notification WHERE next_attempt_at IS NULL AND created_at <= $1",
            [now.addingTimeInterval(-memory)])
    }
}
