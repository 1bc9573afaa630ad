/// The signed content of a notification. There are two formats, because the service that we are compatible with
/// documents one and sends the other, and a third one for clients that only speak OpenID Connect.
package enum NotificationClaims: Encodable, Equatable, Sendable {
    /// About an organization's consent: `events` is an array, the scopes are one string, times are in seconds.
    case organization(AboutOrganization)
    /// About a person who signs in: `events` is a JSON text, times in it are in milliseconds.
    /// docs/specifications/sign-in.md, 10.
    case person(AboutPerson)
    /// About a person who has signed out.
    case logout(BackChannelLogoutToken)

    package struct AboutOrganization: Encodable, Equatable, Sendable {
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

    package struct AboutPerson: Encodable, Equatable, Sendable {
        package let iss: String
        package let aud: String
        package let iat: Int
        package let exp: Int
        package let jti: String
        package let events: String

        /// In seconds.
        static let lifetime = 86_400

        package struct Event: Encodable, Equatable, Sendable {
            package let type: String
            package let sub: String
            package let eventTime: Int
            package let email: String?
            /// The string "true".
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
