import Directory
import Ground
import Outbox

/// A message to an app's server. It stays in the database until it is delivered, so that a restart loses none.
package struct OutgoingNotification: OutboxMessage {
    package let id: Int
    package let appID: AppID
    /// The same for each attempt: an app recognizes by it a message that it gets twice.
    package let jti: String
    /// Such as `consent-revoked`.
    let type: String
    package let url: String
    package let attempts: Int
    package let claims: NotificationClaims
    /// For a logout token, the algorithm of the client's identity tokens.
    let algorithm: SigningAlgorithm

    var isLogout: Bool { if case .logout = claims { true } else { false } }

    /// The content type of the request's body.
    package var contentType: String {
        switch claims {
        case .organization, .person: "application/json"
        case .logout: FormEncoding.contentType
        }
    }
}
