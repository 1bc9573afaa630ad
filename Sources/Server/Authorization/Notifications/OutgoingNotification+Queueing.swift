import Directory
import Foundation
import Ground
import Storage

extension OutgoingNotification {
    /// Tells the app about an event: at its notification URL, and by logout tokens if the event ends the person's
    /// sessions.
    /// - Returns: the `jti` of the notification; nil if the app has no address for it.
    @discardableResult
    package static func enqueue(
        _ event: PersonEvent, of person: PersonID, to app: AppID, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> String? {
        let stored = Event(
            type: event.type, person: person.rawValue, eventTime: Int(now.timeIntervalSince1970 * 1_000),
            email: event.hiddenAddress)
        // The format that these ids have had for years: 22 characters of base64url.
        let jti = Data(surroundings.randomBytes(16)).base64URLEncoded
        guard let app = try App.find(app, in: transaction) else { return nil }
        if app.notificationURL != nil { try enqueue(stored, jti: jti, to: app.id, at: now, in: transaction) }
        if event.endsSessions {
            try enqueueLogouts(of: person, from: app, at: now, surroundings: surroundings, in: transaction)
        }
        return app.notificationURL == nil ? nil : jti
    }

    static func enqueueConsentRevoked(
        _ consent: Consent, by person: PersonID, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        guard try App.find(consent.appID, in: transaction)?.notificationURL != nil else { return }
        let stored = Event(
            type: "consent-revoked", person: person.rawValue, organization: consent.organizationID.rawValue,
            scopes: consent.scopes.text, eventTime: Int(now.timeIntervalSince1970))
        try enqueue(
            stored, jti: surroundings.randomUUID().uuidString.lowercased(), to: consent.appID, at: now, in: transaction)
    }

    /// Whether a notification waits, or was given up, that was queued at that time or later.
    package static func isKept(since time: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM notification WHERE created_at >= $1", [time])
    }

    /// Queues an event. The caller has checked that the app has an address for it.
    static func enqueue(
        _ event: Event, jti: String, to app: AppID, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            "INSERT INTO notification (app_id, jti, claims, created_at, next_attempt_at) VALUES ($1, $2, $3, $4, $4)",
            [app, jti, String(decoding: try JSONEncoder().encode(event), as: UTF8.self), now])
    }
}
