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

        var isLogout: Bool { client != nil }
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
}
