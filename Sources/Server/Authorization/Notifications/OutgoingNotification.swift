import Directory
import Outbox

/// A message to an app's server that waits in the database until it was delivered, so that a restart loses none.
package struct OutgoingNotification: OutboxMessage {
    package let id: Int
    package let appID: AppID
    /// The same at each attempt: the app may get a message twice, and knows it by this.
    package let jti: String
    package let url: String
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
