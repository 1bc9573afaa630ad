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

/// The signed content. Of the shape that the service we are compatible with documents: about a roster, `events` is an
/// array, the scopes are one string, times are seconds; about a sign-in, `events` is a text that holds one object, and
/// there is an expiry.
package struct NotificationClaims: Encodable, Equatable {
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

    package let iss: String
    package let aud: String
    package let iat: Int
    package let jti: String
    /// About a roster.
    package let events: [Event]
    /// About a sign-in: the JSON object of the one event.
    package let eventText: String?

    /// How long a notification about a sign-in is good for, in seconds.
    static let lifetime = 86_400

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(iss, forKey: .iss)
        try container.encode(aud, forKey: .aud)
        try container.encode(iat, forKey: .iat)
        try container.encode(jti, forKey: .jti)
        if let eventText {
            try container.encode(iat + Self.lifetime, forKey: .exp)
            try container.encode(eventText, forKey: .events)
        } else {
            try container.encode(events, forKey: .events)
        }
    }

    enum CodingKeys: String, CodingKey {
        case iss, aud, iat, exp, jti, events
    }
}

extension OutgoingNotification {
    /// What is stored: the event with internal ids. Issuer, audience and the pairwise id are put in when it is sent.
    struct Event: Codable, Sendable {
        let type: String
        let person: Int64
        let organization: Int64
        let scopes: String
        let eventTime: Int
    }

    static func enqueueConsentRevoked(
        _ consent: Consent, by person: PersonID, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        guard let app = try App.find(consent.appID, in: transaction), app.notificationURL != nil else { return }
        let stored = Event(
            type: "consent-revoked", person: person.rawValue, organization: consent.organizationID.rawValue,
            scopes: consent.scopes.text, eventTime: Int(now.timeIntervalSince1970))
        try transaction.execute(
            "INSERT INTO notification (app_id, jti, claims, created_at, next_attempt_at) VALUES ($1, $2, $3, $4, $4)",
            [
                app.id, Self.makeUUID(from: surroundings),
                String(decoding: try JSONEncoder().encode(stored), as: UTF8.self), now,
            ])
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
    private let issuer: String
    private let signInIssuer: String
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - issuer: of notifications about rosters.
    ///   - signInIssuer: of notifications about sign-ins.
    package init(
        database: any Database, teamIdentifiers: TeamIdentifiers, keys: ServerKeys, issuer: String,
        signInIssuer: String, now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.teamIdentifiers = teamIdentifiers
        self.keys = keys
        self.issuer = issuer
        self.signInIssuer = signInIssuer
        self.now = now
    }

    /// Pauses before the second, third … attempt, about three days in all. Then the operator is told.
    package static let pauses: [TimeInterval] = [
        10, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 43_200, 43_200, 43_200,
    ]
    /// While an attempt is under way nobody else takes the message; a crash in its middle delays it so long.
    private static let lease: TimeInterval = 60

    /// Takes up to `limit` messages whose time has come.
    package func takeDue(limit: Int) async throws -> [OutgoingNotification] {
        let now = now()
        struct Row: Sendable {
            let id: Int
            let appID: AppID
            let jti: String
            let stored: String
            let createdAt: Date
            let attempts: Int
        }
        // Most of the time nothing is due, and a read tells so without writing.
        let isDue = try await database.read {
            try $0.exists("SELECT 1 FROM notification WHERE next_attempt_at <= $1", [now])
        }
        guard isDue else { return [] }
        let taken = try await database.write { transaction -> [(Row, App, String, Subject)] in
            let rows = try transaction.all(
                """
                UPDATE notification SET next_attempt_at = $2
                WHERE id IN (
                    SELECT id FROM notification WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $3
                )
                RETURNING id, app_id, jti, claims, created_at, attempts
                """,
                [now, now.addingTimeInterval(Self.lease), limit]
            ) { row in
                Row(
                    id: try row[0], appID: try row[1], jti: try row[2], stored: try row[3], createdAt: try row[4],
                    attempts: try row[5])
            }
            return try rows.compactMap { row in
                guard let app = try App.find(row.appID, in: transaction),
                    let clientID = try App.clientIDs(of: row.appID, in: transaction).first,
                    let subject = try Subject.find(stored: row.stored, in: transaction)
                else {
                    // Nobody is left to be told, or to be told about.
                    try transaction.execute(
                        "UPDATE notification SET next_attempt_at = NULL, last_error = $2 WHERE id = $1",
                        [row.id, "the app, the organization or the person is gone"])
                    return nil
                }
                return (row, app, clientID, subject)
            }
        }
        var notifications: [OutgoingNotification] = []
        for (row, app, clientID, subject) in taken {
            let identifiers = try await teamIdentifiers.of(app.teamID)
            notifications.append(
                OutgoingNotification(
                    id: row.id, appID: row.appID, jti: row.jti, url: app.notificationURL ?? "", attempts: row.attempts,
                    claims: try claims(subject, to: clientID, jti: row.jti, identifiers: identifiers, at: now)))
        }
        return notifications
    }

    /// What a stored event is about, with what has to be looked up for it.
    private enum Subject: Sendable {
        case roster(OutgoingNotification.Event, organization: Organization, person: Person)
        case signIn(OutgoingNotification.SignInContent)

        /// Nil if what it is about is gone.
        static func find(stored: String, in transaction: some Transaction) throws -> Subject? {
            let data = Data(stored.utf8)
            if let content = try? JSONDecoder().decode(OutgoingNotification.SignInContent.self, from: data) {
                return .signIn(content)
            }
            let event = try JSONDecoder().decode(OutgoingNotification.Event.self, from: data)
            guard
                let organization = try Organization.find(OrganizationID(rawValue: event.organization), in: transaction),
                let person = try Person.find(PersonID(rawValue: event.person), in: transaction)
            else { return nil }
            return .roster(event, organization: organization, person: person)
        }
    }

    private func claims(
        _ subject: Subject, to clientID: String, jti: String, identifiers: PairwiseIdentifiers, at now: Date
    ) throws -> NotificationClaims {
        let iat = Int(now.timeIntervalSince1970)
        switch subject {
        case .roster(let event, let organization, let person):
            return NotificationClaims(
                iss: issuer, aud: clientID, iat: iat, jti: jti,
                events: [
                    .init(
                        type: event.type, sub: identifiers.text(of: person.id, in: person.organizationID),
                        orgID: organization.publicID, scopes: event.scopes, eventTime: event.eventTime)
                ],
                eventText: nil)
        case .signIn(let content):
            let sub = identifiers.text(
                of: PersonID(rawValue: content.person), in: content.organization.map(OrganizationID.init(rawValue:)))
            return NotificationClaims(
                iss: signInIssuer, aud: clientID, iat: iat, jti: jti, events: [],
                eventText: try content.text(sub: sub))
        }
    }

    /// The body of the request: `{"payload": "<JWS>"}`, signed RS256.
    package func body(of notification: OutgoingNotification) throws -> String {
        // The characters of a JWS need no escaping.
        "{\"payload\":\"\(try keys.signing.sign(notification.claims))\"}"
    }

    package func recordDelivery(of notification: OutgoingNotification) async throws {
        let now = now()
        try await database.write { transaction in
            try transaction.execute(
                """
                UPDATE notification
                SET delivered_at = $2, next_attempt_at = NULL, attempts = attempts + 1, last_error = NULL
                WHERE id = $1
                """,
                [notification.id, now])
        }
    }

    /// - Parameter error: a status or the kind of failure; no content of the other side.
    /// - Returns: when the next attempt is due, nil if that was the last.
    @discardableResult
    package func recordFailure(of notification: OutgoingNotification, error: String) async throws -> Date? {
        let next =
            Self.pauses.indices.contains(notification.attempts)
            ? now().addingTimeInterval(Self.pauses[notification.attempts]) : nil
        try await database.write { transaction in
            try transaction.execute(
                """
                UPDATE notification SET attempts = attempts + 1, next_attempt_at = $2, last_error = $3 WHERE id = $1
                """,
                [notification.id, next, String(error.prefix(512))])
        }
        return next
    }

    /// How many messages wait, and how many were given up: for the operator.
    package static func backlog(in transaction: some Transaction) throws -> (waiting: Int, givenUp: Int) {
        try transaction.first(
            """
            SELECT COUNT(CASE WHEN next_attempt_at IS NOT NULL THEN 1 END),
                   COUNT(CASE WHEN next_attempt_at IS NULL AND delivered_at IS NULL THEN 1 END)
            FROM notification
            """
        ) { (try $0[0], try $0[1]) } ?? (0, 0)
    }
}
