import Directory
import Foundation
import Ground
import Storage

/// The queue of notifications: what is due, and what became of it.
package struct NotificationOutbox: Sendable {
    private let database: any Database
    private let teamIdentifiers: TeamIdentifiers
    private let keys: ServerKeys
    /// Of organizations' consents.
    private let rosterIssuer: String
    /// Of people who sign in.
    private let issuer: String
    /// Of logout tokens.
    private let standardIssuer: String
    private let surroundings: Surroundings
    private let now: @Sendable () -> Date

    package init(
        database: any Database, teamIdentifiers: TeamIdentifiers, keys: ServerKeys, rosterIssuer: String,
        issuer: String, standardIssuer: String, surroundings: Surroundings
    ) {
        self.database = database
        self.teamIdentifiers = teamIdentifiers
        self.keys = keys
        self.rosterIssuer = rosterIssuer
        self.issuer = issuer
        self.standardIssuer = standardIssuer
        self.surroundings = surroundings
        now = surroundings.now
    }

    /// Pauses before the second, third … attempt, about three days in all. Then the operator is told.
    package static let pauses: [TimeInterval] = [
        10, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 43_200, 43_200, 43_200,
    ]
    /// $1 is the time of now, and $2 ``latest(at:)``: what is to be sent later than that was queued by a clock that was wrong.
    private static let isDue = "(next_attempt_at <= $1 OR next_attempt_at > $2)"
    private static func latest(at now: Date) -> Date { now.addingTimeInterval(pauses.max()! + lease) }
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
            let url: String
            /// Whom the message is addressed to.
            let client: Client
            let organization: Organization?
            let person: Person
        }
        // Most of the time nothing is due, and a read tells so without writing.
        let (isDue, hasEnded) = try await database.read { transaction in
            (
                try transaction.exists("SELECT 1 FROM notification WHERE \(Self.isDue)", [now, Self.latest(at: now)]),
                try ClientSession.hasEnded(in: transaction)
            )
        }
        let surroundings = surroundings
        if hasEnded {
            try await database.write { transaction in
                try OutgoingNotification.enqueueLogouts(
                    ofEndedSessions: 200, at: now, surroundings: surroundings, in: transaction)
            }
        }
        guard isDue || hasEnded else { return [] }
        let taken = try await database.write { transaction -> [Taken] in
            // In any order: if there are always more apps than fit, each has its turn.
            let apps = try transaction.all(
                """
                SELECT id FROM app
                WHERE EXISTS (SELECT 1 FROM notification WHERE app_id = app.id AND \(Self.isDue))
                ORDER BY RANDOM()
                """,
                [now, Self.latest(at: now)]
            ) { try $0[0] as AppID }
            var rows: [Row] = []
            for app in apps where rows.count < limit {
                rows += try transaction.all(
                    """
                    UPDATE notification SET next_attempt_at = $3
                    WHERE id IN (
                        SELECT id FROM notification
                        WHERE app_id = $4 AND \(Self.isDue)
                        ORDER BY next_attempt_at, id
                        LIMIT $5
                    )
                    RETURNING id, app_id, jti, claims, created_at, attempts
                    """,
                    [
                        now, Self.latest(at: now), now.addingTimeInterval(Self.lease), app,
                        min(limitPerApp ?? limit, limit - rows.count),
                    ]
                ) { row in
                    Row(
                        id: try row[0], appID: try row[1], jti: try row[2], stored: try row[3], createdAt: try row[4],
                        attempts: try row[5])
                }
            }
            return try rows.compactMap { row in
                let event = try JSONDecoder().decode(OutgoingNotification.Event.self, from: Data(row.stored.utf8))
                guard let app = try App.find(row.appID, in: transaction),
                    let client = try Client.list(of: row.appID, in: transaction).first(where: {
                        // The primary one comes first.
                        $0.clientID == event.client ?? $0.clientID
                    }),
                    let person = try Person.find(PersonID(rawValue: event.person), in: transaction)
                else { return try giveUp(row.id, "the app or the person is gone", in: transaction) }
                let organization = try event.organization.flatMap {
                    try Organization.find(OrganizationID(rawValue: $0), in: transaction)
                }
                guard (organization == nil) == (event.organization == nil) else {
                    return try giveUp(row.id, "the organization is gone", in: transaction)
                }
                guard let url = event.isLogout ? app.backChannelLogoutURL : app.notificationURL else {
                    // There is nowhere to send it: the operator has taken the address away. One given later gets later
                    // messages only.
                    try transaction.execute("DELETE FROM notification WHERE id = $1", [row.id])
                    return nil
                }
                return Taken(
                    row: row, event: event, app: app, url: url, client: client, organization: organization,
                    person: person)
            }
        }
        var notifications: [OutgoingNotification] = []
        for taken in taken {
            let identifiers = try await teamIdentifiers.of(taken.app.teamID)
            let sub = identifiers.text(of: taken.person.id, in: taken.person.organizationID)
            notifications.append(
                OutgoingNotification(
                    id: taken.row.id, appID: taken.row.appID, jti: taken.row.jti, url: taken.url,
                    attempts: taken.row.attempts,
                    claims: taken.event.isLogout
                        ? .logout(
                            LogoutToken(
                                of: sub, in: taken.event.session, from: standardIssuer, to: taken.client.clientID,
                                jti: taken.row.jti, attempt: taken.row.attempts, at: now))
                        : try claims(
                            of: taken.event, sub: sub, organization: taken.organization, to: taken.client.clientID,
                            jti: taken.row.jti, at: now),
                    algorithm: taken.event.isLogout ? taken.client.signingAlgorithm : .rs256))
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

    /// The body of the request: `{"payload": "<JWS>"}`, or the form field `logout_token` (Back-Channel Logout §2.5).
    package func body(of notification: OutgoingNotification) async throws -> String {
        let key = try await keys.signing.current(notification.algorithm)
        // The characters of a JWS need no escaping, in neither.
        return switch notification.claims {
        case .organization, .person: "{\"payload\":\"\(try key.sign(notification.claims))\"}"
        case .logout: "logout_token=\(try key.sign(notification.claims, type: LogoutToken.type))"
        }
    }

    /// A delivered message is deleted: it tells what is nobody's business any more, such as whose a hidden address was.
    package func recordDelivery(of notification: OutgoingNotification) async throws {
        try await database.write { try $0.execute("DELETE FROM notification WHERE id = $1", [notification.id]) }
    }

    /// What a message that was given up tells is forgotten at once.
    /// - Parameters:
    ///   - error: a status or the kind of failure; no content of the other side.
    ///   - isSilence: there was no answer at all. Whatever else is due for that address would have got none either, and
    ///     counts as tried: an app that is away costs one attempt's time, however much waits for it.
    /// - Returns: when the next attempt is due, nil if that was the last.
    @discardableResult
    package func recordFailure(
        of notification: OutgoingNotification, error: String, isSilence: Bool = false
    ) async throws -> Date? {
        let (now, error) = (now(), String(error.prefix(512)))
        try await database.write { transaction in
            try Self.fail("id = $3", notification.id, error, at: now, in: transaction)
            if isSilence {
                // Of what is stored only a logout names its client; it goes to an address of its own.
                let isSameAddress = "claims \(notification.isLogout ? "LIKE" : "NOT LIKE") '%\"client\":%'"
                try Self.fail(
                    "app_id = $3 AND next_attempt_at <= $1 AND \(isSameAddress)", notification.appID, error, at: now,
                    in: transaction)
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
