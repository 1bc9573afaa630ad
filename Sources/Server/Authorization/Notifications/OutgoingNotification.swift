import Directory
import Foundation
import Ground
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
    /// As the client wants its identity tokens, if it gets a logout token.
    let algorithm: SigningAlgorithm

    var isLogout: Bool { if case .logout = claims { true } else { false } }

    /// Of the body of the request.
    package var contentType: String {
        switch claims {
        case .organization, .person: "application/json"
        case .logout: "application/x-www-form-urlencoded"
        }
    }
}

/// The signed content: two shapes, as the service that we are compatible with documents one and sends the other, and a
/// third for clients that speak OpenID Connect alone.
package enum NotificationClaims: Encodable, Equatable, Sendable {
    /// Of an organization's consent: `events` is an array, the scopes are one string, times are seconds.
    case organization(Organization)
    /// Of a person who signs in: `events` is a JSON text, times in it are milliseconds.
    /// docs/specifications/sign-in.md, 10.
    case person(Person)
    /// Of a person who has signed out.
    case logout(LogoutToken)

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
        case .logout(let token): try token.encode(to: encoder)
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
        /// Of a logout only: the client that is told, and its session, if it is one.
        var client: String?
        var session: String?
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

        /// Whether the person is signed in to the app no more.
        var endsSessions: Bool {
            switch self {
            case .consentRevoked, .accountDeleted: true
            case .emailDisabled, .emailEnabled: false
            }
        }
    }

    /// Tells the app of what happened to a person who signs in to it: at its notification URL, and at the address for
    /// logout tokens if they are signed in to it no more.
    package static func enqueue(
        _ event: PersonEvent, of person: PersonID, to app: AppID, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        let stored = Event(
            type: event.type, person: person.rawValue, eventTime: Int(now.timeIntervalSince1970 * 1_000),
            email: event.hiddenAddress)
        // As these have looked for years: 22 characters of base64url.
        let jti = Data(surroundings.randomBytes(16)).base64URLEncoded
        guard let app = try App.find(app, in: transaction) else { return }
        if app.notificationURL != nil { try enqueue(stored, jti: jti, to: app.id, at: now, in: transaction) }
        if event.endsSessions {
            try enqueueLogouts(of: person, from: app, at: now, surroundings: surroundings, in: transaction)
        }
    }

    static func enqueueConsentRevoked(
        _ consent: Consent, by person: PersonID, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws {
        guard try App.find(consent.appID, in: transaction)?.notificationURL != nil else { return }
        let stored = Event(
            type: "consent-revoked", person: person.rawValue, organization: consent.organizationID.rawValue,
            scopes: consent.scopes.text, eventTime: Int(now.timeIntervalSince1970))
        try enqueue(stored, jti: makeUUID(from: surroundings), to: consent.appID, at: now, in: transaction)
    }

    /// To an app that has an address for it.
    static func enqueue(
        _ event: Event, jti: String, to app: AppID, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            "INSERT INTO notification (app_id, jti, claims, created_at, next_attempt_at) VALUES ($1, $2, $3, $4, $4)",
            [app, jti, String(decoding: try JSONEncoder().encode(event), as: UTF8.self), now])
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
