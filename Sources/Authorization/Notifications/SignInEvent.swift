import Directory
import Foundation
import Storage

/// What an app is told about a person who signs in to it.
package enum SignInEvent: Equatable, Sendable {
    /// Mail to the hidden address is forwarded again.
    case emailEnabled(String)
    /// Mail to the hidden address is not forwarded any more.
    case emailDisabled(String)
    /// The person has stopped using the app with this account.
    case consentRevoked
    /// The account is gone.
    case accountDelete

    package var type: String {
        switch self {
        case .emailEnabled: "email-enabled"
        case .emailDisabled: "email-disabled"
        case .consentRevoked: "consent-revoked"
        case .accountDelete: "account-delete"
        }
    }

    var email: String? {
        switch self {
        case .emailEnabled(let address), .emailDisabled(let address): address
        case .consentRevoked, .accountDelete: nil
        }
    }
}

extension OutgoingNotification {
    /// Queues an event for an app, if it gets notifications.
    /// - Parameters:
    ///   - person: need not be there any more when the notification is sent.
    ///   - organization: of a managed account.
    package static func enqueue(
        _ event: SignInEvent, about person: PersonID, of organization: OrganizationID?, to app: AppID, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        guard let app = try App.find(app, in: transaction), app.notificationURL != nil else { return }
        let stored = SignInContent(
            signIn: event.type, person: person.rawValue, organization: organization?.rawValue, email: event.email,
            // Milliseconds, as deployed clients read them.
            eventTime: Int((now.timeIntervalSince1970 * 1_000).rounded(.down)))
        try transaction.execute(
            "INSERT INTO notification (app_id, jti, claims, created_at, next_attempt_at) VALUES ($1, $2, $3, $4, $4)",
            [
                app.id, Data(surroundings.randomBytes(16)).base64URLEncoded,
                String(decoding: try JSONEncoder().encode(stored), as: UTF8.self), now,
            ])
    }

    /// What is stored: the event with internal ids. Its first name tells it from an event about a roster.
    struct SignInContent: Codable, Sendable {
        let signIn: String
        let person: Int64
        let organization: Int64?
        let email: String?
        let eventTime: Int

        /// The event as clients parse it: a text that holds an object.
        func text(sub: String) throws -> String {
            struct Event: Encodable {
                let type: String
                let sub: String
                let email: String?
                let isPrivateEmail: String?
                let eventTime: Int

                enum CodingKeys: String, CodingKey {
                    case type, sub, email
                    case isPrivateEmail = "is_private_email"
                    case eventTime = "event_time"
                }
            }
            let event = Event(
                type: signIn, sub: sub, email: email, isPrivateEmail: email == nil ? nil : "true", eventTime: eventTime)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(event), as: UTF8.self)
        }
    }
}
